// SPDX-License-Identifier: MIT
// What a visitor has brought: files that were opened or dropped, as items beside the library's; and
// what was written in the place of texts, item by item. All of it is in the page's own memory.

import { baseName, isModel, isScene, normal } from './library';
import type { Given, Item, Library } from './library';
import { forget, keep, onKeptElsewhere, recall } from './storage';

const FILES = 'files';
const EDITS = 'edits';
const GIVEN = 'This page';
const YOURS = 'Yours';

interface Kept {
  texts: Record<string, string>;
  /** Small pictures, as addresses of data. */
  pictures: Record<string, string>;
}

/** What was written in the place of a text, and a sum of that text: another one has lost nothing. */
interface Edit {
  text: string;
  over: number;
}

interface Edits {
  grown: Record<string, Edit>;
  /** Typed last, and perhaps wrong. */
  draft?: { file: string; text: string };
}

export class OwnFiles {
  private readonly library: Library;
  private given: { item: Item; texts: Record<string, string> } | null = null;
  private kept: Kept = { texts: {}, pictures: {} };
  private edits: Record<string, Edits> = {};
  private dropped: Item[] = [];
  /** The browser has kept all so far. */
  keeps = true;
  /** Called when other items are there, or others are edited. */
  onChange: () => void = () => undefined;

  constructor(library: Library) {
    this.library = library;
    this.read();
    [FILES, EDITS].forEach((key) => onKeptElsewhere(key, () => this.read()));
  }

  private read(): void {
    this.kept = { ...this.kept, ...recall<Kept>(FILES) };
    this.edits = recall<Record<string, Edits>>(EDITS) ?? {};
    this.findItems();
  }

  // ---- items --------------------------------------------------------------------------------------

  get items(): Item[] {
    return [...(this.given ? [this.given.item] : []), ...this.dropped];
  }

  find(name: string | undefined): Item | null {
    return [...this.items, ...this.library.items].find((item) => item.name === name) ?? null;
  }

  /** Not the library's: a link to it must bring its texts along. */
  owns(item: Item | null): boolean {
    return item !== null && !this.library.items.includes(item);
  }

  /** Names of own items change when others come. */
  private keyOf(item: Item): string {
    return this.owns(item) ? `file:${item.file}` : item.name;
  }

  /** As it was opened. */
  textOf({ file }: Item): string {
    return this.kept.texts[file] ?? '';
  }

  pictureOf({ file }: Item): string | undefined {
    return this.kept.pictures[file];
  }

  /** What `tendril view` has put into the page. */
  setGiven({ file, files }: Given): Item {
    const texts = Object.fromEntries(Object.entries(files).map(([name, text]) => [normal(name), text]));
    const item = { ...this.itemOf(normal(file), texts, []), group: GIVEN };
    this.given = { item, texts };
    this.findItems();
    return item;
  }

  /** Takes files in, in the place of those of the same name. Returns what can be shown of them, scenes first. */
  add(texts: Record<string, string>): Item[] {
    const added = Object.fromEntries(Object.entries(texts).map(([name, text]) => [normal(name), text]));
    Object.assign(this.kept.texts, added);
    this.findItems();
    const found = this.dropped.filter(({ file }) => file in added);
    found.forEach((item) => delete this.edits[this.keyOf(item)]);
    this.keepFiles();
    this.keepEdits();
    return found.sort((a, b) => Number(isScene(b.file, added[b.file])) - Number(isScene(a.file, added[a.file])));
  }

  setPicture(item: Item, picture: string): void {
    if (this.dropped.includes(item)) {
      this.kept.pictures[item.file] = picture;
      this.keepFiles();
    }
  }

  private findItems(): void {
    const files = Object.keys(this.kept.texts).sort();
    this.dropped = [];
    for (const file of files.filter((name) => isModel(name) || isScene(name, this.kept.texts[name]))) {
      this.dropped.push(this.itemOf(file, this.kept.texts, this.dropped));
    }
    this.onChange();
  }

  private itemOf(file: string, texts: Record<string, string>, others: Item[]): Item {
    const stem = baseName(file).replace(/\.\w+$/, '');
    const taken = new Set([...this.library.items, ...(this.given ? [this.given.item] : []), ...others].map(({ name }) => name));
    let name = stem;
    for (let k = 2; taken.has(name); k++) {
      name = `${stem}-${k}`;
    }
    const [, title] = /^name:\s*["']?([^"'#\n]+)/m.exec(isModel(file) ? '' : texts[file]) ?? [];
    return { name, title: title?.trim() || stem, text: file, file, group: YOURS };
  }

  // ---- texts --------------------------------------------------------------------------------------

  /** As they came: of the visitor's items all in the same folder; none of the library's, which everyone has. */
  textsOf(item: Item): Record<string, string> {
    if (item === this.given?.item) {
      return this.given.texts;
    }
    if (!this.owns(item)) {
      return {};
    }
    const folder = (file: string): string => file.slice(0, file.indexOf('/') + 1);
    return Object.fromEntries(
      Object.entries(this.kept.texts).filter(([file]) => folder(file) === folder(item.file)));
  }

  /** As they are with what was written since. */
  writtenOf(item: Item): Record<string, string> {
    const grown = Object.entries(this.edits[this.keyOf(item)]?.grown ?? {})
      .filter(([file, { over }]) => over === sumOf(this.original(item, file)));
    return { ...this.textsOf(item), ...Object.fromEntries(grown.map(([file, { text }]) => [file, text])) };
  }

  draftOf(item: Item): { file: string; text: string } | undefined {
    return this.edits[this.keyOf(item)]?.draft;
  }

  isEdited(item: Item): boolean {
    return Object.keys(this.edits[this.keyOf(item)]?.grown ?? {}).length > 0;
  }

  /** Keeps what these texts have changed. */
  keepTexts(item: Item, texts: Record<string, string>): void {
    const changed = Object.entries(texts).filter(([file, text]) => text !== this.original(item, file));
    const grown = Object.fromEntries(
      changed.map(([file, text]) => [file, { text, over: sumOf(this.original(item, file)) }]));
    this.edits[this.keyOf(item)] = { grown };
    if (changed.length === 0) {
      delete this.edits[this.keyOf(item)];
    }
    this.keepEdits();
  }

  keepDraft(item: Item, file: string, text: string): void {
    this.edits[this.keyOf(item)] = { grown: this.edits[this.keyOf(item)]?.grown ?? {}, draft: { file, text } };
    this.keepEdits();
  }

  originals(item: Item, files: string[]): Record<string, string> {
    return Object.fromEntries(files.map((file) => [file, this.original(item, file)]));
  }

  private original(item: Item, file: string): string {
    return this.textsOf(item)[file] ?? this.library.files[file] ?? '';
  }

  // ---- keeping ------------------------------------------------------------------------------------

  get count(): { files: number; edits: number } {
    return { files: Object.keys(this.kept.texts).length, edits: Object.keys(this.edits).length };
  }

  /** One item as it came. */
  forgetEdits(item: Item): void {
    delete this.edits[this.keyOf(item)];
    this.keepEdits();
  }

  forgetAll(): void {
    this.kept = { texts: {}, pictures: {} };
    this.edits = {};
    [FILES, EDITS].forEach(forget);
    this.keeps = true;
    this.findItems();
  }

  private keepFiles(): void {
    this.keeps = keep(FILES, this.kept) && this.keeps;
  }

  private keepEdits(): void {
    this.keeps = keep(EDITS, this.edits) && this.keeps;
    this.onChange();
  }
}

/** Of a text: two that differ hardly ever have the same. */
function sumOf(text: string): number {
  let sum = text.length;
  for (let k = 0; k < text.length; k++) {
    sum = Math.imul(sum ^ text.charCodeAt(k), 0x01000193);
  }
  return sum;
}

// SPDX-License-Identifier: MIT
// The panel of texts: which file, the field to write in, what is wrong while one types, and what can
// be done with a text.

import { byId } from './dom';
import { TextField } from './editor-view';
import { baseName } from './library';
import type { Fault } from './protocol';
import { download } from './save';

const CHECK_AFTER = 250; // ms without a key
const GROW_AFTER = 700;

export interface EditorEvents {
  /** Faults of a text; none: it can grow. */
  check(file: string, text: string): Promise<Fault[]>;
  grow(file: string, text: string): void;
  /** Perhaps wrong, and not grown yet. */
  typed(file: string, text: string): void;
}

export class Editor {
  faults: Fault[] = [];
  private readonly events: EditorEvents;
  private readonly files = byId<HTMLSelectElement>('file');
  private readonly list = byId('faults');
  private readonly field: TextField;
  private texts: Record<string, string> = {};
  /** Typed since the last growth. */
  private drafts: Record<string, string> = {};
  private timer = 0;
  private version = 0;

  constructor(events: EditorEvents) {
    this.events = events;
    this.field = new TextField(byId('editor'), () => this.onInput(), () => this.grow());
    this.files.addEventListener('change', () => this.showFile());
    byId('regrow').addEventListener('click', () => this.grow());
    byId('find').addEventListener('click', () => this.field.toggleSearch());
    byId('wrap').addEventListener('click', () => this.toggleWrap());
    byId('save-text').addEventListener('click', () =>
      download(new Blob([this.text], { type: 'text/plain' }), baseName(this.file)));
  }

  get file(): string {
    return this.files.value;
  }

  get text(): string {
    return this.field.text;
  }

  /** Shows the first of these files, or the one of that name which was there. */
  setFiles(texts: Record<string, string>): void {
    const kept = this.files.value;
    if (!Object.keys(texts).every((name) => name in this.texts)) {
      this.field.forget();
      this.drafts = {};
    }
    this.texts = { ...texts, ...this.drafts };
    this.files.replaceChildren(...Object.keys(texts).map((name) => new Option(baseName(name), name)));
    if (kept in texts) {
      this.files.value = kept;
    }
    this.files.disabled = Object.keys(texts).length < 2;
    this.showFile();
  }

  /** What was typed at another time, and has not grown. */
  setDraft(file: string, text: string): void {
    if (file in this.texts && this.texts[file] !== text) {
      this.files.value = file;
      this.field.show(file, text);
      this.onInput();
    }
  }

  /** What is typed and not grown gives way to the texts that come next. */
  dropDrafts(): void {
    this.drafts = {};
    this.version++;
    clearTimeout(this.timer);
  }

  setFaults(faults: Fault[]): void {
    this.faults = faults;
    this.list.replaceChildren(...faults.map((fault) => this.faultItem(fault)));
    this.field.mark(faults.filter(({ file }) => file === '' || baseName(file) === baseName(this.file)));
  }

  /** After the panel was hidden. */
  shown(): void {
    this.field.measure();
  }

  private showFile(): void {
    this.field.show(this.file, this.texts[this.file] ?? '');
    this.setFaults([]);
  }

  private onInput(): void {
    this.texts[this.file] = this.drafts[this.file] = this.text;
    this.version++;
    this.events.typed(this.file, this.text);
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.checkNow(), CHECK_AFTER);
  }

  private async checkNow(): Promise<void> {
    const { version, file } = this;
    const faults = await this.events.check(file, this.text);
    if (version !== this.version) {
      return;
    }
    this.setFaults(faults);
    if (faults.length === 0) {
      this.timer = window.setTimeout(() => this.grow(), GROW_AFTER - CHECK_AFTER);
    }
  }

  private grow(): void {
    clearTimeout(this.timer);
    delete this.drafts[this.file];
    this.events.grow(this.file, this.text);
  }

  private toggleWrap(): void {
    this.field.wraps = !this.field.wraps;
    byId('wrap').setAttribute('aria-pressed', String(this.field.wraps));
  }

  private faultItem(fault: Fault): HTMLElement {
    const item = document.createElement('li');
    const place = fault.line > 0 ? `${fault.line}:${fault.column} ` : '';
    const go = document.createElement('button');
    go.type = 'button';
    go.textContent = `${place}${fault.text}`;
    go.addEventListener('click', () => this.goTo(fault));
    item.append(go);
    return item;
  }

  private goTo(fault: Fault): void {
    const file = Object.keys(this.texts).find((name) => baseName(name) === baseName(fault.file));
    if (file && file !== this.file) {
      const { faults } = this;
      this.files.value = file;
      this.showFile();
      this.setFaults(faults);
    }
    if (fault.line > 0) {
      this.field.goTo(fault);
    }
  }
}

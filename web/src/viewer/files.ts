// SPDX-License-Identifier: MIT
// Files from the visitor's disk: opened by a button, singly or a whole folder, or dropped onto the
// page; in any order, a scene before its models or after.

import { byId } from './dom';
import { baseName, isScene } from './library';
import type { Item } from './library';
import { sayFault, sayNote } from './notices';
import type { Viewer } from './viewer';

/** What models and scenes are made of; other files in a folder are left alone. */
const TEXTS = /(?:\.(?:lsys|l|v|h|ya?ml|json|func|fset|s|con|map|mat)|(?:^|\/)specifications)$/i;
const RUN = /\.glb$/i;
const MOST_FILES = 200;
const MOST_BYTES = 4 << 20; // in one file

interface Found {
  path: string;
  file: File;
}

export class FileOpener {
  private readonly viewer: Viewer;
  /** A refused scene, or else a refused model; perhaps the files that it names come next. */
  private waiting: Item | null = null;

  constructor(viewer: Viewer) {
    this.viewer = viewer;
    this.listenToButton('open', 'open-files');
    this.listenToButton('open-folder', 'open-folders');
    byId('open-folder').hidden = !('webkitdirectory' in HTMLInputElement.prototype);
    this.listenForDrops();
    this.listenToForget();
  }

  private listenToButton(button: string, input: string): void {
    const chooser = byId<HTMLInputElement>(input);
    byId(button).addEventListener('click', () => chooser.click());
    chooser.addEventListener('change', () => {
      const found = [...chooser.files!].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
      chooser.value = ''; // so that the same file can be chosen again
      void this.take(found);
    });
  }

  private listenForDrops(): void {
    const show = (on: boolean): unknown => document.body.classList.toggle('dropping', on);
    document.addEventListener('dragover', (event) => {
      event.preventDefault();
      show(true);
    });
    document.addEventListener('dragleave', (event) => show(event.relatedTarget !== null));
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      show(false);
      void filesIn(event.dataTransfer!).then((found) => this.take(found));
    });
  }

  // ---- taking in ----------------------------------------------------------------------------------

  private async take(found: Found[]): Promise<void> {
    const run = found.find(({ path }) => RUN.test(path));
    if (run) {
      return this.viewer.openRun(run.file.name, await run.file.arrayBuffer());
    }
    const readable = found.filter(({ path, file }) => TEXTS.test(path) && file.size <= MOST_BYTES);
    if (readable.length === 0 || readable.length > MOST_FILES) {
      return this.refuse(found, readable.length);
    }
    const texts = await Promise.all(readable.map(async ({ path, file }) => [path, await textOf(file)] as const));
    await this.show(this.viewer.own.add(Object.fromEntries(texts)), texts.map(([path]) => baseName(path)));
  }

  private refuse(found: Found[], count: number): void {
    const [first] = found;
    if (count > MOST_FILES) {
      sayFault(`${count} files are too many: the page takes ${MOST_FILES} at once`);
    } else if (first) {
      const large = first.file.size > MOST_BYTES ? `has more than ${MOST_BYTES >> 20} MB; ` : '';
      sayFault(`${first.path}: ${large}expected a model (.lsys, .l), a scene (.yaml) or a recorded run (.glb)`);
    }
  }

  // the first of the new items, or a refused one that needs one of the new files; `names` are those of the files
  private async show(items: Item[], names: string[]): Promise<void> {
    const { own } = this.viewer;
    const waiting = own.find(this.waiting?.name);
    if (waiting && (items.length === 0 || names.some((name) => own.textOf(waiting).includes(name))) && await this.choose(waiting)) {
      this.waiting = null;
    } else if (items.length > 0) {
      await this.choose(items[0]);
    } else if (!waiting) {
      sayNote('Kept. Now open the model or the scene that needs it.');
    }
  }

  private async choose(item: Item): Promise<boolean> {
    const { own } = this.viewer;
    const opened = await this.viewer.chooseItem(item);
    if (!opened && (!this.waiting || isScene(item.file, own.textOf(item)))) {
      this.waiting = item;
    } else if (opened && !own.keeps) {
      sayNote('This browser keeps no more: what you have opened is there until the page is closed.');
    }
    return opened;
  }

  // ---- forgetting ---------------------------------------------------------------------------------

  // the first press asks, the second does it
  private listenToForget(): void {
    const button = byId('forget');
    const usual = button.textContent!;
    const ask = (on: boolean): void => {
      button.classList.toggle('asking', on);
      const { files, edits } = this.viewer.own.count;
      const what = [counted(files, 'file'), counted(edits, 'changed model')].filter((text) => !text.startsWith('0 '));
      button.textContent = on ? `Press again to forget ${what.join(' and ')}` : usual;
    };
    button.addEventListener('click', () => {
      if (button.classList.contains('asking')) {
        ask(false);
        void this.viewer.forgetOwn();
      } else {
        ask(true);
      }
    });
    button.addEventListener('blur', () => ask(false));
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Files that were dropped, those in folders too. */
async function filesIn(transfer: DataTransfer): Promise<Found[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.());
  if (!entries.some((entry) => entry?.isDirectory)) {
    return [...transfer.files].map((file) => ({ path: file.name, file }));
  }
  return (await Promise.all(entries.map((entry) => (entry ? filesOf(entry) : [])))).flat();
}

async function filesOf(entry: FileSystemEntry): Promise<Found[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ''), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Found[] = [];
  for (let more = true; more;) { // a browser gives a hundred at a time
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    found.push(...(await Promise.all(entries.map(filesOf))).flat());
    more = entries.length > 0 && found.length <= 10 * MOST_FILES;
  }
  return found;
}

/** Colours are bytes: the library reads them as this text. */
async function textOf(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return bytes.includes(0)
    ? `hex:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}` : new TextDecoder().decode(bytes);
}

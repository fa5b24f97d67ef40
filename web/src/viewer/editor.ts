// SPDX-License-Identifier: MIT
// A plain text editor that marks faults where they are, while one types. The text area is
// transparent; behind it the same text is set once more, with marks.

import { byId } from './dom';
import type { Fault } from './protocol';

const CHECK_AFTER = 250; // ms without a key
const GROW_AFTER = 700;

export interface EditorEvents {
  /** Faults of a text; none: it can grow. */
  check(file: string, text: string): Promise<Fault[]>;
  grow(file: string, text: string): void;
}

export class Editor {
  faults: Fault[] = [];
  private readonly events: EditorEvents;
  private readonly files: HTMLSelectElement;
  private readonly area: HTMLTextAreaElement;
  private readonly behind: HTMLElement;
  private readonly gutter: HTMLElement;
  private readonly list: HTMLElement;
  private texts: Record<string, string> = {};
  private timer = 0;
  private version = 0;

  constructor(events: EditorEvents) {
    this.events = events;
    this.files = byId<HTMLSelectElement>('file');
    this.area = byId<HTMLTextAreaElement>('source');
    this.behind = byId('behind');
    this.gutter = byId('gutter');
    this.list = byId('faults');
    this.files.addEventListener('change', () => this.showFile());
    this.area.addEventListener('input', () => this.onInput());
    this.area.addEventListener('scroll', () => this.alignBehind());
    this.area.addEventListener('keydown', (event) => this.onKey(event));
    byId('regrow').addEventListener('click', () => this.grow());
  }

  get file(): string {
    return this.files.value;
  }

  /** Shows the first of these files. */
  setFiles(texts: Record<string, string>): void {
    const kept = this.files.value;
    this.texts = { ...texts };
    this.files.replaceChildren(...Object.keys(texts).map((name) => new Option(name, name)));
    if (kept in texts) {
      this.files.value = kept;
    }
    this.files.disabled = Object.keys(texts).length < 2;
    this.showFile();
  }

  setFaults(faults: Fault[]): void {
    this.faults = faults;
    this.list.replaceChildren(...faults.map((fault) => this.faultItem(fault)));
    this.paint();
  }

  private showFile(): void {
    const text = this.texts[this.file] ?? '';
    if (this.area.value !== text) {
      this.area.value = text;
      this.area.scrollTop = 0;
    }
    this.setFaults([]);
  }

  private onInput(): void {
    this.texts[this.file] = this.area.value;
    this.version++;
    this.paint();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.checkNow(), CHECK_AFTER);
  }

  private async checkNow(): Promise<void> {
    const { version, file } = this;
    const faults = await this.events.check(file, this.area.value);
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
    this.events.grow(this.file, this.area.value);
  }

  private onKey(event: KeyboardEvent): void {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.grow();
    }
  }

  // ---- marks --------------------------------------------------------------------------------------

  private own(): Fault[] {
    const base = (name: string): string => name.slice(name.lastIndexOf('/') + 1);
    return this.faults.filter(({ file, line }) => line > 0 && (file === '' || base(file) === base(this.file)));
  }

  private paint(): void {
    const lines = this.area.value.split('\n');
    const faults = this.own();
    const marked = new Map(faults.map((fault) => [fault.line, fault] as const).reverse());
    this.gutter.replaceChildren(...lines.map((_, k) => {
      const number = document.createElement('div');
      number.textContent = String(k + 1);
      number.className = marked.has(k + 1) ? 'wrong' : '';
      return number;
    }));
    this.behind.replaceChildren();
    lines.forEach((line, k) => {
      const fault = marked.get(k + 1);
      const row = document.createElement('div');
      if (fault) {
        const at = charactersIn(line, fault.column - 1);
        const word = Math.max(1, /^\w+/.exec(line.slice(at))?.[0].length ?? 1);
        const mark = document.createElement('mark');
        mark.textContent = line.slice(at, at + word) || ' ';
        row.className = 'wrong';
        row.append(line.slice(0, at), mark, line.slice(at + word));
      } else {
        row.textContent = line || ' ';
      }
      this.behind.append(row);
    });
    this.alignBehind();
  }

  private alignBehind(): void {
    this.behind.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
    this.gutter.style.transform = `translateY(${-this.area.scrollTop}px)`;
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

  private goTo({ line, column }: Fault): void {
    if (line < 1) {
      return;
    }
    const lines = this.area.value.split('\n');
    const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    const at = before + charactersIn(lines[line - 1] ?? '', column - 1);
    this.area.focus();
    this.area.setSelectionRange(at, at);
  }
}

/** Characters of a text in its first `bytes` bytes. */
function charactersIn(text: string, bytes: number): number {
  const encoded = new TextEncoder().encode(text);
  return new TextDecoder().decode(encoded.subarray(0, bytes)).length;
}

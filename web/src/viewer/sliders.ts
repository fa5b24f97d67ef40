// SPDX-License-Identifier: MIT
// Sliders of the numbers that models give names to: the plant grows again while one drags, and the
// text of the model follows.

import { readDefines, writeDefine, writeValue } from './defines';
import type { Define } from './defines';
import { element, textElement } from './dom';
import { baseName, isModel } from './library';
import type { LiveText } from './live-text';

const NONE = 'Numbers that a model names with #define have sliders here.';

const OVERRIDDEN = 'The scene defines this anew, so that the number of the model does nothing: change it under Scene.';

interface Row {
  /** The range that was taken from the value stays, or it would wander off with it. */
  define: Define;
  show(define: Define): void;
  setOverridden(overridden: boolean): void;
}

export class DefineSliders {
  private readonly parent: HTMLElement;
  private readonly live: LiveText;
  private readonly rows = new Map<string, Row>();
  /** Files and names that there are rows for. */
  private kept = '';
  private dragged = '';
  private models: { file: string; defines: Define[] }[] = [];

  constructor(parent: HTMLElement, live: LiveText) {
    this.parent = parent;
    this.live = live;
  }

  /** Of these texts; rows that are there already stay, so that a drag goes on. */
  show(texts: Record<string, string>): void {
    this.models = Object.entries(texts).filter(([file]) => isModel(file))
      .map(([file, text]) => ({ file, defines: readDefines(text) })).filter(({ defines }) => defines.length > 0);
    const kept = JSON.stringify(this.models.map(({ file, defines }) => [file, defines.map(({ name }) => name)]));
    if (kept !== this.kept) {
      this.kept = kept;
      this.rows.clear();
      this.parent.replaceChildren(...this.models.map(({ file, defines }) => this.group(file, defines)));
      if (this.models.length === 0) {
        this.parent.append(told(NONE));
      }
    }
    for (const { file, defines } of this.models) {
      defines.filter(({ name }) => keyOf(file, name) !== this.dragged)
        .forEach((define) => this.rows.get(keyOf(file, define.name))?.show(define));
    }
  }

  /** `names`: of a model's file, what a scene defines in the model's place. */
  setOverridden(names: (file: string) => Set<string>): void {
    for (const { file, defines } of this.models) {
      const overridden = names(file);
      defines.forEach(({ name }) => this.rows.get(keyOf(file, name))?.setOverridden(overridden.has(name)));
    }
  }

  private group(file: string, defines: Define[]): HTMLElement {
    const group = element('fieldset');
    group.append(textElement('legend', baseName(file).replace(/\.\w+$/, '')));
    defines.forEach((define) => group.append(this.row(file, define)));
    return group;
  }

  private row(file: string, first: Define): HTMLElement {
    const row = element('div', 'slider define');
    const [input, number] = [element('input'), element('input')];
    const label = textElement('label', spoken(first.name));
    const key = keyOf(file, first.name);
    input.type = 'range';
    input.id = `define-${key}`;
    input.step = 'any';
    number.type = 'number';
    number.step = 'any';
    number.setAttribute('aria-label', `${spoken(first.name)}, as a number`);
    label.htmlFor = input.id;
    input.addEventListener('input', () => {
      this.dragged = key;
      number.value = writeValue(Number(input.value), this.rows.get(key)!.define);
      this.tell(file, first.name, number.value);
    });
    const end = (): void => {
      this.dragged = '';
      void this.live.end();
    };
    input.addEventListener('change', end);
    number.addEventListener('change', () => {
      if (number.value !== '' && Number.isFinite(number.valueAsNumber)) {
        this.tell(file, first.name, number.value);
        end();
      }
    });
    row.append(label, input, number);
    const text = first.text ? told(first.text) : null;
    if (text) {
      text.id = `${input.id}-text`;
      input.setAttribute('aria-describedby', text.id);
      row.append(text);
    }
    this.rows.set(key, {
      define: first,
      show: (now) => {
        const define = now.said ? now : withinFirst(now, first);
        this.rows.get(key)!.define = define;
        [input.min, input.max, input.value] = [define.low, define.high, define.value].map(String);
        number.value = String(define.value);
      },
      setOverridden: (overridden) => {
        input.disabled = number.disabled = overridden;
        row.title = overridden ? OVERRIDDEN : '';
        row.classList.toggle('overridden', overridden);
      },
    });
    return row;
  }

  private tell(file: string, name: string, value: string): void {
    const text = this.live.textOf(file);
    const next = writeDefine(text, name, value);
    if (next !== text) {
      this.live.tell({ [file]: next });
    }
  }
}

const keyOf = (file: string, name: string): string => `${baseName(file)}-${name}`;

function withinFirst(now: Define, { low, high, places }: Define): Define {
  return { ...now, low: Math.min(low, now.value), high: Math.max(high, now.value), places };
}

function told(text: string): HTMLElement {
  const made = textElement('p', text);
  made.className = 'told';
  return made;
}

/** A name as people write it. */
function spoken(name: string): string {
  const words = name.toLowerCase().replaceAll('_', ' ');
  return words[0].toUpperCase() + words.slice(1);
}

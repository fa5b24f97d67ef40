// SPDX-License-Identifier: MIT
// The list of what is in a scene, with fields for the one that is chosen.

import { element, textElement } from './dom';
import { isModel, baseName } from './library';
import { download } from './save';
import { kindOf } from './scene-edit';
import type { SceneEditor } from './scene-edit';
import { KINDS, fieldsOf, shownNumbers } from './scene-kinds';
import type { Field, Thing } from './scene-kinds';

/** Names of the numbers of one field. */
const PARTS: Partial<Record<Field['kind'], string[]>> = { vector: ['x', 'y', 'z'], turn: ['x', 'y', 'z', 'degrees'] };

export class ScenePanel {
  private readonly editor: SceneEditor;
  private readonly list = element('ul', 'things');
  private readonly kinds = element('select');
  private readonly models = element('select');
  /** What the list was made of; while that is the same only values change. */
  private made = '';
  private shows: (() => void)[] = [];

  constructor(parent: HTMLElement, editor: SceneEditor) {
    this.editor = editor;
    parent.append(this.bar(), this.list);
  }

  draw(): void {
    const { things, chosen, chosenKey, scene } = this.editor;
    const made = JSON.stringify([
      scene === null, chosen, chosenKey, things.map(({ label, title, item, data }) =>
        [label, title, item, item.join() === chosen ? Object.keys(data).map((key) => [key, shape(data[key])]) : 0])]);
    if (made !== this.made) {
      this.made = made;
      const focused = document.activeElement?.id;
      this.shows = [];
      this.list.replaceChildren(...(scene ? things.map((thing) => this.entry(thing)) : [told('The text of this scene cannot be read.')]));
      if (focused && this.list.querySelector(`#${CSS.escape(focused)}`)) {
        document.getElementById(focused)!.focus();
      }
    }
    this.shows.forEach((show) => show());
    this.showModels();
  }

  // ---- what can be done -----------------------------------------------------------------------------

  private bar(): HTMLElement {
    const row = element('div', 'row add');
    KINDS.forEach(({ id, label }) => this.kinds.append(new Option(label, id)));
    this.kinds.id = 'scene-new';
    this.kinds.setAttribute('aria-label', 'What to add');
    this.models.id = 'scene-model';
    this.models.setAttribute('aria-label', 'Model of the new plant');
    this.kinds.addEventListener('change', () => (this.models.hidden = this.kinds.value !== 'plant'));
    const add = button('Add', 'Add it to the scene', () =>
      void this.editor.add(kindOf(this.kinds.value), this.models.value));
    add.id = 'scene-add';
    const keep = button('Download', 'The scene as a YAML file', () =>
      download(new Blob([this.editor.yaml], { type: 'application/yaml' }), this.editor.name));
    keep.id = 'scene-download';
    row.append(this.kinds, this.models, add, keep);
    return row;
  }

  private showModels(): void {
    const { models } = this.editor;
    if (models.length !== this.models.options.length) {
      const kept = this.models.value;
      this.models.replaceChildren(...models.map((file) => new Option(baseName(file).replace(/\.\w+$/, ''), file)));
      this.models.value = isModel(kept) ? kept : (models.find((file) => /rose/.test(file)) ?? models[0] ?? '');
    }
  }

  // ---- things ---------------------------------------------------------------------------------------

  private entry(thing: Thing): HTMLElement {
    const item = thing.item.join();
    const open = this.editor.chosen === item;
    const entry = element('li', open ? 'chosen' : '');
    const head = element('div', 'head');
    const name = button('', '', () => this.editor.choose(open ? '' : item));
    name.id = `thing-${item.replace(',', '-')}`;
    name.className = 'name';
    name.setAttribute('aria-expanded', String(open));
    name.append(textElement('b', thing.label), ` ${thing.title}`);
    const remove = button('×', `Remove ${thing.label} ${thing.title}`, () => void this.editor.remove(thing));
    remove.className = 'remove';
    remove.setAttribute('aria-label', remove.title);
    remove.disabled = thing.item[0] === 'objects' && this.editor.things.filter(({ item: [list] }) => list === 'objects').length < 2;
    head.append(name, remove);
    entry.append(head);
    if (open) {
      entry.append(...fieldsOf(thing).map((field) => this.row(thing, field)));
      entry.append(told(thing.kind ? 'Other keys can be changed under Text.' : 'It can be changed under Text.'));
    }
    return entry;
  }

  // the thing as it is now: data change under a list that stays
  private now({ item }: Thing): Thing | undefined {
    return this.editor.things.find((one) => one.item.join() === item.join());
  }

  private row(thing: Thing, field: Field): HTMLElement {
    const row = element('div', `field ${field.kind}`);
    const label = element('span', 'label');
    label.textContent = field.unit ? `${field.label}, ${field.unit}` : field.label;
    row.append(label);
    if (field.kind === 'text') {
      row.append(this.textInput(thing, field));
    } else if (field.kind === 'object') {
      row.append(this.objectInput(thing, field));
    } else {
      const parts = PARTS[field.kind] ?? [''];
      row.append(...parts.map((part, axis) => this.numberInput(thing, field, part, axis)));
    }
    if (field.keyed) {
      row.append(this.keyButton(thing, field));
    }
    return row;
  }

  private keyButton(thing: Thing, field: Field): HTMLElement {
    const made = button('◆', `A key of ${field.label.toLowerCase()} at the time that is shown`, () =>
      void this.editor.addKey(this.now(thing)!, field));
    made.className = 'key-now';
    made.setAttribute('aria-label', made.title);
    this.shows.push(() => {
      const now = this.now(thing);
      made.classList.toggle('keyed', now !== undefined && this.editor.valueOf(now, field).keys !== null);
    });
    return made;
  }

  private numberInput(thing: Thing, field: Field, part: string, axis: number): HTMLElement {
    const input = element('input');
    input.type = 'number';
    input.step = 'any';
    input.id = `field-${thing.item.join('-')}-${field.key}${part && `-${part}`}`;
    input.setAttribute('aria-label', `${field.label}${part && ` ${part}`}`);
    const tell = (done: boolean): void => {
      const now = this.now(thing);
      if (now && input.value !== '' && Number.isFinite(input.valueAsNumber)) {
        this.editor.setNumber(now, field, axis, input.valueAsNumber, done);
      }
    };
    input.addEventListener('input', () => tell(false));
    input.addEventListener('change', () => tell(true));
    this.shows.push(() => {
      const now = this.now(thing);
      const numbers = now ? shownNumbers(field, this.editor.valueOf(now, field).value) : null;
      const value = numbers?.[axis];
      input.disabled = numbers === null;
      if (document.activeElement !== input || Number(input.value) !== value) {
        input.value = value === undefined || !Number.isFinite(value) ? '' : String(value);
      }
      input.placeholder = value === Infinity ? 'for ever' : field.key in (now?.data ?? {}) ? '' : 'none';
    });
    return input;
  }

  private textInput(thing: Thing, field: Field): HTMLElement {
    const input = element('input');
    input.type = 'text';
    input.id = `field-${thing.item.join('-')}-${field.key}`;
    input.setAttribute('aria-label', field.label);
    input.addEventListener('change', () => this.editor.setText(this.now(thing)!, field, input.value.trim()));
    this.shows.push(() => (input.value = String(this.now(thing)?.data[field.key] ?? '')));
    return input;
  }

  private objectInput(thing: Thing, field: Field): HTMLElement {
    const select = element('select');
    const names = this.editor.things.filter(({ item: [list] }) => list === 'objects')
      .map(({ data }) => data.name).filter((name): name is string => typeof name === 'string');
    select.setAttribute('aria-label', field.label);
    select.append(new Option('the first', ''), ...names.map((name) => new Option(name, name)));
    select.addEventListener('change', () => this.editor.setText(this.now(thing)!, field, select.value));
    this.shows.push(() => (select.value = String(this.now(thing)?.data[field.key] ?? '')));
    return select;
  }
}

/** What decides which fields there are, not what is in them. */
function shape(value: unknown): unknown {
  return Array.isArray(value) ? value.length : typeof value === 'object' && value ? Object.keys(value) : typeof value;
}

function button(text: string, title: string, does: () => void): HTMLButtonElement {
  const made = textElement('button', text);
  made.type = 'button';
  made.className = 'plain';
  made.title = title;
  made.addEventListener('click', does);
  return made;
}

function told(text: string): HTMLElement {
  const made = textElement('p', text);
  made.className = 'told';
  return made;
}

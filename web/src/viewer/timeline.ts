// SPDX-License-Identifier: MIT
// The timeline of a scene: keys, and when pulls and pushes begin and end, along its duration. All of
// them can be dragged, moved with the arrow keys and removed with Delete.

import { element, textElement } from './dom';
import type { SceneEditor } from './scene-edit';
import { keysOf, numberOf } from './scene-kinds';
import type { Thing } from './scene-kinds';

const SNAP = 0.05; // s: an arrow key, and to this times are rounded
const APART = 0.01; // s between keys: times must increase
const SCROLLED = 4; // pixels that make a press a drag

export class Timeline {
  private readonly editor: SceneEditor;
  private readonly root = element('div', 'timeline');
  private readonly tracks = element('div', 'tracks');
  private readonly ruler = element('div', 'ruler');
  private readonly head = element('div', 'playhead');
  private readonly length = element('input');
  private dragging = false;
  /** What the tracks were made of. */
  private made = '';

  constructor(parent: HTMLElement, editor: SceneEditor) {
    this.editor = editor;
    this.root.setAttribute('role', 'group');
    this.root.setAttribute('aria-label', 'Timeline');
    const row = element('label', 'seconds');
    this.length.type = 'number';
    this.length.id = 'scene-seconds';
    this.length.step = 'any';
    this.length.addEventListener('change', () => {
      if (this.length.valueAsNumber > 0) {
        void editor.change([{ set: ['record', 'duration'], value: this.length.valueAsNumber }]);
      }
    });
    row.append('Lasts', this.length, 's');
    const top = element('div', 'track');
    top.append(row, this.ruler);
    this.root.append(top, this.tracks);
    parent.append(this.root);
  }

  /** While something is dragged its element must stay. */
  draw(): void {
    const { editor } = this;
    this.root.hidden = editor.scene === null;
    this.length.value = String(Number(editor.seconds.toPrecision(4)));
    const { seconds, chosen, chosenKey, things } = editor;
    const made = JSON.stringify([seconds, chosen, chosenKey, things.map(({ item, title, data, kind }) =>
      [item, title, kind?.timed && [data.start, data.end], Object.keys(data).map((key) => [key, keysOf(data[key])])])]);
    if (!this.dragging && made !== this.made) {
      this.made = made;
      const focused = document.activeElement?.id ?? '';
      this.ruler.replaceChildren(...this.marks(), this.head);
      this.tracks.replaceChildren(...editor.things.flatMap((thing) => this.tracksOf(thing)));
      if (focused.startsWith('at-')) {
        document.getElementById(focused)?.focus();
      }
    }
    this.showTime(editor.time);
  }

  showTime(time: number): void {
    this.head.style.left = this.place(time);
    this.head.hidden = time > this.editor.seconds;
  }

  private place(time: number): string {
    return `${(100 * Math.min(Math.max(time, 0), this.editor.seconds)) / this.editor.seconds}%`;
  }

  private marks(): HTMLElement[] {
    const { seconds } = this.editor;
    const power = 10 ** Math.floor(Math.log10(seconds / 4));
    const every = [1, 2, 5, 10].map((n) => n * power).find((n) => seconds / n <= 5)!;
    return Array.from({ length: Math.floor(seconds / every + 1e-9) + 1 }, (_, k) => {
      const mark = textElement('span', String(Number((k * every).toPrecision(6))));
      mark.style.left = this.place(k * every);
      return mark;
    });
  }

  // ---- tracks -------------------------------------------------------------------------------------

  private tracksOf(thing: Thing): HTMLElement[] {
    const made = (thing.kind?.timed ?? false) ? [this.span(thing)] : [];
    for (const key of Object.keys(thing.data)) {
      if (keysOf(thing.data[key])) {
        made.push(this.keys(thing, key));
      }
    }
    return made;
  }

  private track(thing: Thing, what: string): { track: HTMLElement; lane: HTMLElement } {
    const track = element('div', 'track');
    const lane = element('div', 'lane');
    const load = thing.item[0] === 'loads';
    const name = textElement('span', [load || !thing.title ? thing.label : '', thing.title, what].filter(Boolean).join(' '));
    name.title = name.textContent;
    name.className = 'label';
    track.append(name, lane);
    return { track, lane };
  }

  private keys(thing: Thing, key: string): HTMLElement {
    const { editor } = this;
    const item = thing.item.join();
    const { track, lane } = this.track(thing, key);
    const keys = keysOf(thing.data[key])!;
    keys.forEach(([time], index) => {
      const { chosen, chosenKey } = editor;
      const made = this.knob(`${item.replace(',', '-')}-${key}-${index}`, 'key', time, `Key of ${key}`, {
        low: index > 0 ? keys[index - 1][0] + APART : 0,
        high: index + 1 < keys.length ? keys[index + 1][0] - APART : editor.seconds,
        move: (to, done) => editor.moveKey(this.now(thing), key, index, to, done),
        choose: () => editor.choose(item, { field: key, index }),
        remove: () => editor.removeKey(this.now(thing), key, index),
      });
      made.setAttribute('aria-pressed', String(chosen === item && chosenKey?.field === key && chosenKey.index === index));
      lane.append(made);
    });
    return track;
  }

  // a bar from the beginning to the end of a load
  private span(thing: Thing): HTMLElement {
    const { editor } = this;
    const { track, lane } = this.track(thing, '');
    const start = numberOf(thing.data.start) || 0;
    const end = Math.min(numberOf(thing.data.end) || editor.seconds, editor.seconds);
    const bar = element('div', 'duration');
    const item = thing.item.join();
    bar.style.left = this.place(start);
    bar.style.right = `calc(100% - ${this.place(end)})`;
    lane.append(bar);
    for (const [side, time, low, high] of [['start', start, 0, end - APART], ['end', end, start + APART, editor.seconds]] as const) {
      lane.append(this.knob(`${item.replace(',', '-')}-${side}`, 'edge', time, side === 'start' ? 'Begins' : 'Ends', {
        low,
        high,
        move: (to, done) => {
          bar.style[side === 'start' ? 'left' : 'right'] = side === 'start' ? this.place(to) : `calc(100% - ${this.place(to)})`;
          void editor.change([{ set: [...thing.path, side], value: to }], done);
        },
        choose: () => editor.choose(item),
        remove: () => void editor.remove(this.now(thing)),
      }));
    }
    return track;
  }

  private now({ item }: Thing): Thing {
    return this.editor.things.find((one) => one.item.join() === item.join())!;
  }

  // ---- knobs --------------------------------------------------------------------------------------

  private knob(id: string, className: string, start: number, label: string, does: Knob): HTMLElement {
    const knob = element('button', className);
    let time = start;
    knob.type = 'button';
    knob.id = `at-${id}`;
    const show = (): void => {
      knob.style.left = this.place(time);
      knob.title = `${label} at ${time.toFixed(2)} s`;
      knob.setAttribute('aria-label', knob.title);
    };
    const moveTo = (to: number, done: boolean): void => {
      const near = Math.round(to / SNAP) * SNAP;
      time = Number(Math.min(Math.max(near, does.low), does.high).toFixed(3));
      show();
      does.move(time, done);
    };
    show();
    knob.addEventListener('pointerdown', (event) => this.drag(event, knob, moveTo, () => time, does.choose));
    knob.addEventListener('keydown', (event) => {
      const way = { ArrowLeft: -SNAP, ArrowRight: SNAP }[event.key];
      if (way) {
        event.preventDefault();
        event.stopPropagation();
        moveTo(time + way, true);
      } else if (event.key === 'Delete' || event.key === 'Backspace') {
        event.preventDefault();
        does.remove();
      } else if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        event.stopPropagation();
        does.choose();
      }
    });
    return knob;
  }

  private drag(
    event: PointerEvent, knob: HTMLElement, moveTo: (to: number, done: boolean) => void, time: () => number, choose: () => void,
  ): void {
    const { width } = knob.parentElement!.getBoundingClientRect();
    const [begin, from] = [event.clientX, time()];
    let moved = false;
    const onMove = ({ clientX }: PointerEvent): void => {
      moved ||= Math.abs(clientX - begin) >= SCROLLED;
      if (moved) {
        moveTo(from + ((clientX - begin) / width) * this.editor.seconds, false);
      }
    };
    const onUp = (): void => {
      knob.removeEventListener('pointermove', onMove);
      this.dragging = false;
      if (moved) {
        moveTo(time(), true);
      }
      choose();
    };
    knob.setPointerCapture(event.pointerId);
    this.dragging = true;
    knob.addEventListener('pointermove', onMove);
    knob.addEventListener('lostpointercapture', onUp, { once: true });
  }
}

interface Knob {
  /** Between these times, s. */
  low: number;
  high: number;
  move(to: number, done: boolean): void;
  choose(): void;
  remove(): void;
}

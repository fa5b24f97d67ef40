// SPDX-License-Identifier: MIT
// The bar between picture and panel: dragged, or moved with the arrow keys, it gives the panel more
// or less room. Beside the picture that is width, on a phone height; the page remembers both.

import { byId } from './dom';
import { keep, recall } from './storage';

const STEP = 24; // CSS pixels a key
const KEY = 'panel';

interface Room {
  width?: number;
  height?: number;
}

export class Sash {
  private readonly bar = byId('sash');
  private readonly narrow = matchMedia('(max-width: 860px)');
  private readonly room: Room = recall<Room>(KEY) ?? {};

  constructor() {
    this.bar.addEventListener('pointerdown', (event) => this.onDown(event));
    this.bar.addEventListener('keydown', (event) => this.onKey(event));
    this.bar.addEventListener('dblclick', () => this.set(undefined));
    this.narrow.addEventListener('change', () => this.show());
    this.show();
  }

  // of the last column or row of the page
  private get size(): number {
    const { gridTemplateColumns, gridTemplateRows } = getComputedStyle(document.body);
    return Math.round(parseFloat((this.narrow.matches ? gridTemplateRows : gridTemplateColumns).split(' ').at(-1)!));
  }

  private get limits(): [number, number] {
    return this.narrow.matches ? [120, 0.7 * innerHeight] : [280, 0.7 * innerWidth];
  }

  private set(size: number | undefined): void {
    const [low, high] = this.limits;
    this.room[this.narrow.matches ? 'height' : 'width'] = size && Math.round(Math.min(Math.max(size, low), high));
    keep(KEY, this.room);
    this.show();
  }

  private show(): void {
    const { style } = document.body;
    for (const side of ['width', 'height'] as const) {
      const size = this.room[side];
      if (size) {
        style.setProperty(`--panel-${side}`, `${size}px`);
      } else {
        style.removeProperty(`--panel-${side}`);
      }
    }
    const [low, high] = this.limits;
    this.bar.setAttribute('aria-orientation', this.narrow.matches ? 'horizontal' : 'vertical');
    this.bar.setAttribute('aria-valuemin', String(low));
    this.bar.setAttribute('aria-valuemax', String(Math.round(high)));
    this.bar.setAttribute('aria-valuenow', String(this.size));
  }

  private onDown(event: PointerEvent): void {
    const along = ({ clientX, clientY }: PointerEvent): number => (this.narrow.matches ? clientY : clientX);
    const [start, size] = [along(event), this.size];
    const move = (next: PointerEvent): void => this.set(size + start - along(next));
    this.bar.setPointerCapture(event.pointerId);
    this.bar.addEventListener('pointermove', move);
    const end = (): void => this.bar.removeEventListener('pointermove', move);
    this.bar.addEventListener('pointerup', end, { once: true });
    this.bar.addEventListener('pointercancel', end, { once: true });
  }

  private onKey(event: KeyboardEvent): void {
    const more = this.narrow.matches ? 'ArrowUp' : 'ArrowLeft';
    const less = this.narrow.matches ? 'ArrowDown' : 'ArrowRight';
    const way = { [more]: 1, [less]: -1 }[event.key];
    if (way) {
      event.preventDefault();
      event.stopPropagation(); // arrow keys move the pot elsewhere
      this.set(this.size + way * STEP);
    }
  }
}

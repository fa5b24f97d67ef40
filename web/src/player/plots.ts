// SPDX-License-Identifier: MIT
// Plots beside the picture: one chart a unit, a cursor at the time that is shown, and the values at
// that time in the legend. Dragging along a chart moves the clock.

import { valueAt } from './table';
import type { ChartData, Column } from './table';

const SVG = 'http://www.w3.org/2000/svg';
/** Of a chart, in units that its width on the screen scales. */
const WIDTH = 340;
const HEIGHT = 150;
const EDGE = { left: 46, right: 8, top: 8, bottom: 20 };
const COLORS = 8;

export class Plots {
  private readonly all: Chart[];

  constructor(parent: HTMLElement, data: ChartData[], seconds: number, onSeek: (t: number) => void) {
    this.all = data.map((chart) => new Chart(parent, chart, seconds, onSeek));
  }

  get count(): number {
    return this.all.length;
  }

  setTime(time: number): void {
    this.all.forEach((chart) => chart.setTime(time));
  }
}

class Chart {
  private readonly data: ChartData;
  private readonly seconds: number;
  private readonly cursor: SVGElement;
  private readonly readings: HTMLElement[];

  constructor(parent: HTMLElement, data: ChartData, seconds: number, onSeek: (t: number) => void) {
    this.data = data;
    this.seconds = Math.max(seconds, data.time[data.time.length - 1] ?? 0, 1e-9);
    const figure = document.createElement('figure');
    const caption = document.createElement('figcaption');
    const picture = element('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img' });
    picture.setAttribute('aria-label', data.columns.map(({ name }) => name).join(', '));
    const [low, high] = range(data.columns);
    this.addAxes(picture, low, high);
    data.columns.forEach((column, i) => {
      const line = element('path', { d: this.trace(column, low, high), class: 'line' });
      line.style.stroke = color(i);
      picture.append(line);
    });
    this.cursor = element('line', { y1: EDGE.top, y2: HEIGHT - EDGE.bottom, class: 'cursor' });
    picture.append(this.cursor);
    this.readings = data.columns.map((column, i) => this.addReading(caption, column, i));
    this.followPointer(picture, onSeek);
    figure.append(picture, caption);
    parent.append(figure);
  }

  setTime(time: number): void {
    const x = String(this.x(time));
    this.cursor.setAttribute('x1', x);
    this.cursor.setAttribute('x2', x);
    this.data.columns.forEach(({ values }, i) => {
      const value = valueAt(this.data.time, values, time);
      this.readings[i].textContent = Number.isFinite(value) ? short(value) : '–';
    });
  }

  private x(time: number): number {
    return EDGE.left + ((WIDTH - EDGE.left - EDGE.right) * time) / this.seconds;
  }

  private y(value: number, low: number, high: number): number {
    return HEIGHT - EDGE.bottom - ((HEIGHT - EDGE.top - EDGE.bottom) * (value - low)) / (high - low);
  }

  private addAxes(picture: Element, low: number, high: number): void {
    for (const value of ticks(low, high, 4)) {
      const y = this.y(value, low, high);
      picture.append(element('line', { x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y, y2: y, class: 'grid' }));
      picture.append(label(short(value), EDGE.left - 5, y + 3.5, 'end'));
    }
    for (const time of ticks(0, this.seconds, 5)) {
      const x = this.x(time);
      picture.append(element('line', { x1: x, x2: x, y1: EDGE.top, y2: HEIGHT - EDGE.bottom, class: 'grid' }));
      picture.append(label(short(time), x, HEIGHT - 6, 'middle'));
    }
    picture.append(label('s', WIDTH - 2, HEIGHT - 6, 'end'));
  }

  // A path that has, for each step across, what is lowest and highest there: no peak is lost.
  private trace(column: Column, low: number, high: number): string {
    const { time } = this.data;
    const parts: string[] = [];
    let [step, top, bottom] = [NaN, 0, 0];
    const flush = (): void => {
      if (!Number.isNaN(step)) {
        const at = (step / 2).toFixed(1);
        parts.push(`${parts.length ? 'L' : 'M'}${at} ${bottom.toFixed(1)}`);
        if (top !== bottom) {
          parts.push(`L${at} ${top.toFixed(1)}`);
        }
      }
    };
    for (let i = 0; i < time.length; i++) {
      const y = this.y(column.values[i], low, high);
      if (!Number.isFinite(y)) {
        continue;
      }
      const here = Math.round(2 * this.x(time[i]));
      if (here !== step) {
        flush();
        [step, top, bottom] = [here, y, y];
      }
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    }
    flush();
    return parts.join('');
  }

  private addReading(caption: HTMLElement, column: Column, index: number): HTMLElement {
    const entry = document.createElement('span');
    const mark = document.createElement('i');
    mark.style.background = color(index);
    const value = document.createElement('b');
    entry.append(mark, column.name, ' ', value, column.unit ? ` ${column.unit}` : '');
    caption.append(entry);
    return value;
  }

  private followPointer(picture: SVGElement, onSeek: (t: number) => void): void {
    const seek = (event: PointerEvent): void => {
      const box = picture.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * WIDTH;
      const share = (x - EDGE.left) / (WIDTH - EDGE.left - EDGE.right);
      onSeek(Math.min(Math.max(share, 0), 1) * this.seconds);
    };
    picture.addEventListener('pointerdown', (event) => {
      picture.setPointerCapture(event.pointerId);
      seek(event);
    });
    picture.addEventListener('pointermove', (event) => {
      if (picture.hasPointerCapture(event.pointerId)) {
        seek(event);
      }
    });
  }
}

function color(index: number): string {
  return `var(--line-${index % COLORS})`;
}

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  return made;
}

function label(text: string, x: number, y: number, anchor: string): SVGElement {
  const made = element('text', { x, y, 'text-anchor': anchor });
  made.textContent = text;
  return made;
}

function range(columns: Column[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { values } of columns) {
    for (const value of values) {
      if (Number.isFinite(value)) {
        [low, high] = [Math.min(low, value), Math.max(high, value)];
      }
    }
  }
  if (!(low <= high)) {
    return [0, 1];
  }
  const room = high > low ? 0.04 * (high - low) : 0.5 * Math.abs(low) || 1;
  return [low - room, high + room];
}

/** Round numbers from low to high, about `count` of them: 1, 2 or 5 times a power of ten apart. */
function ticks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!;
  const found: number[] = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) {
    found.push(i * step);
  }
  return found;
}

function short(value: number): string {
  const text = Math.abs(value) < 1e-12 ? '0' : value.toPrecision(3);
  return text.includes('e') ? text.replace(/\.?0+e/, 'e') : text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
}

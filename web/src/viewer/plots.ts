// SPDX-License-Identifier: MIT
// Plots of the last seconds, drawn as time goes on.

const KEPT_SECONDS = 12;
const EDGE = { left: 46, right: 8, top: 8, bottom: 18 };

export interface Line {
  name: string;
  /** Name of a colour in the style sheet. */
  color: string;
}

export class LivePlot {
  private readonly canvas: HTMLCanvasElement;
  private readonly readings: HTMLElement[];
  private readonly lines: Line[];
  private times: number[] = [];
  private rows: number[][] = [];

  constructor(parent: HTMLElement, title: string, unit: string, lines: Line[]) {
    this.lines = lines;
    const figure = document.createElement('figure');
    const caption = document.createElement('figcaption');
    const heading = document.createElement('strong');
    heading.textContent = title;
    this.canvas = document.createElement('canvas');
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `${title} over time`);
    caption.append(heading);
    this.readings = lines.map(({ name, color }) => {
      const entry = document.createElement('span');
      const mark = document.createElement('i');
      const value = document.createElement('b');
      mark.style.background = `var(${color})`;
      entry.append(mark, name, ' ', value, ` ${unit}`);
      caption.append(entry);
      return value;
    });
    figure.append(this.canvas, caption);
    parent.append(figure);
  }

  get count(): number {
    return this.rows.length;
  }

  get last(): number[] {
    return this.rows[this.rows.length - 1] ?? [];
  }

  clear(): void {
    this.times = [];
    this.rows = [];
    this.draw();
  }

  add(time: number, values: number[]): void {
    this.times.push(time);
    this.rows.push(values);
    let gone = 0;
    while (this.times[gone] < time - KEPT_SECONDS) {
      gone++;
    }
    if (gone > 0) {
      this.times.splice(0, gone);
      this.rows.splice(0, gone);
    }
  }

  draw(): void {
    const { canvas } = this;
    const ratio = Math.min(window.devicePixelRatio, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0 || height === 0) {
      return;
    }
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext('2d')!;
    const style = getComputedStyle(canvas);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const [low, high] = this.range();
    const end = this.times[this.times.length - 1] ?? KEPT_SECONDS;
    const begin = Math.max(0, end - KEPT_SECONDS);
    const x = (t: number): number => EDGE.left + ((width - EDGE.left - EDGE.right) * (t - begin)) / KEPT_SECONDS;
    const y = (v: number): number => height - EDGE.bottom - ((height - EDGE.top - EDGE.bottom) * (v - low)) / (high - low);
    pen.font = '10.5px system-ui, sans-serif';
    pen.fillStyle = style.getPropertyValue('--soft');
    pen.strokeStyle = style.getPropertyValue('--line');
    pen.lineWidth = 1;
    this.drawGrid(pen, { low, high, begin, width, height, x, y });
    this.lines.forEach(({ color }, k) => {
      pen.strokeStyle = style.getPropertyValue(color);
      pen.lineWidth = 1.5;
      pen.beginPath();
      this.rows.forEach((row, i) => pen.lineTo(x(this.times[i]), y(row[k])));
      pen.stroke();
      this.readings[k].textContent = this.rows.length > 0 ? short(this.last[k]) : '–';
    });
  }

  private drawGrid(
    pen: CanvasRenderingContext2D,
    at: { low: number; high: number; begin: number; width: number; height: number; x(t: number): number; y(v: number): number },
  ): void {
    const { low, high, begin, width, height, x, y } = at;
    pen.textAlign = 'right';
    for (let k = 0; k <= 2; k++) {
      const value = low + ((high - low) * k) / 2;
      pen.beginPath();
      pen.moveTo(EDGE.left, y(value));
      pen.lineTo(width - EDGE.right, y(value));
      pen.stroke();
      pen.fillText(short(value, 2), EDGE.left - 5, y(value) + 3.5);
    }
    pen.textAlign = 'center';
    for (let t = Math.ceil(begin / 4) * 4; t <= begin + KEPT_SECONDS; t += 4) {
      pen.fillText(`${t} s`, Math.min(x(t), width - 14), height - 4);
    }
  }

  private range(): [number, number] {
    let [low, high] = [Infinity, -Infinity];
    for (const row of this.rows) {
      for (const value of row) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    if (!(low <= high)) {
      return [0, 1];
    }
    const room = high > low ? 0.06 * (high - low) : 0.5 * Math.abs(low) || 1;
    return [low - room, high + room];
  }
}

function short(value: number, digits = 3): string {
  const text = Math.abs(value) < 1e-9 ? '0' : value.toPrecision(digits);
  return text.includes('e') ? text : text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
}

// SPDX-License-Identifier: MIT
// The colours of bending moments, and their legend with units.

import { byId, textElement } from './dom';

type Color = [number, number, number];

/** Dark blue over green and yellow to red, in linear light. */
const STOPS: Color[] = [
  [0.06, 0.05, 0.32], [0.04, 0.24, 0.42], [0.02, 0.42, 0.24], [0.35, 0.6, 0.05], [1, 0.62, 0.02], [0.9, 0.09, 0.03]];
const PREFIXES: [number, string][] = [[1e3, 'kN m'], [1, 'N m'], [1e-3, 'mN m'], [1e-6, 'µN m'], [1e-9, 'nN m']];

/** 0 to 255, in linear light. */
function heat(t: number): Color {
  const at = t * (STOPS.length - 1);
  const k = Math.min(Math.floor(at), STOPS.length - 2);
  const mix = (c: number): number => Math.round(255 * (STOPS[k][c] + (at - k) * (STOPS[k + 1][c] - STOPS[k][c])));
  return [mix(0), mix(1), mix(2)];
}

const sRGB = (c: number): number => 255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);

/** Tips are to show colour beside the trunk: t = sqrt(m / most). */
export class MomentScale {
  /** N m, where the scale ends. */
  private most = 0;

  constructor() {
    const stops = STOPS.map((color) => `rgb(${color.map((c) => Math.round(sRGB(c))).join(' ')})`);
    byId('scale').querySelector<HTMLElement>('.bar')!.style.background = `linear-gradient(to right, ${stops.join(', ')})`;
  }

  begin(): void {
    this.most = 0;
  }

  /** Three bytes a segment. The scale follows the greatest moment, and forgets it slowly. */
  colors(moments: Float32Array): Uint8Array {
    const greatest = moments.reduce((most, m) => Math.max(most, m), 1e-12);
    this.most = Math.max(greatest, 0.98 * this.most);
    const colors = new Uint8Array(3 * moments.length);
    moments.forEach((m, k) => colors.set(heat(Math.sqrt(m / this.most)), 3 * k));
    return colors;
  }

  /** The legend; `on`: moments are shown. */
  show(on: boolean): void {
    const scale = byId('scale');
    scale.hidden = !on;
    if (!on) {
      return;
    }
    const [unit, name] = PREFIXES.find(([least]) => this.most >= least) ?? PREFIXES.at(-1)!;
    // 0, where t is a half, and the end
    const said = [0, this.most / 4, this.most].map((m) => (m === 0 ? '0' : (m / unit).toPrecision(2)));
    const text = `${said.join(' ')} ${name}`;
    if (scale.dataset.said !== text) {
      scale.dataset.said = text;
      scale.setAttribute('aria-label', `Bending moment as colour, from 0 to ${said[2]} ${name}`);
      scale.querySelector('.ticks')!.replaceChildren(
        textElement('span', said[0]), textElement('span', said[1]), textElement('span', `${said[2]} ${name}`));
    }
  }
}

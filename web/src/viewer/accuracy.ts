// SPDX-License-Identifier: MIT
// The slider from exact to fast: how large an error is allowed, and in which unit. With implicit
// steps it is that of the tips, in m; with `weights: camera` over their distance from the camera.
// Explicit adaptive steps leave out joints by their velocity.

import { element, textElement } from './dom';
import { INTEGRATOR, WEIGHTS } from './protocol';
import type { Opened } from './protocol';

/** Equal ratios along the slider, from here times the largest error to that. */
const LOWEST = 1e-4;
/** Of the slider's way: what is below is no error at all. */
const EXACT = 0.02;
/** The largest error, over the size of all plants; rad at a camera; rad/s or m/s. */
const LARGEST = { size: 0.1, angle: 0.05, velocity: 10 };

/** Which numbers of the scene the slider sets, what they mean, and how large they may be. */
export interface Range {
  paths: string[];
  largest: number;
  tell(error: number): string;
}

const NOT_HERE = 'Only trees, with an implicit or the adaptive integrator, can be less exact.';

const digits = (value: number): string => Number(value.toPrecision(2)).toString();

export function lengthText(metres: number): string {
  return metres < 0.01 ? `${digits(1000 * metres)} mm` : metres < 1 ? `${digits(100 * metres)} cm` : `${digits(metres)} m`;
}

/** A text in the place of a range says why there is none. */
export function rangeOf(opened: Opened, integrator: number, solvers: string[]): Range | string {
  const { values, weights, integrators, knownSolvers, size } = opened;
  const adapts = solvers.map((solver) => integrators[knownSolvers.indexOf(solver)] >> INTEGRATOR.adaptive & 1);
  const implicit = integrator === INTEGRATOR.implicit || integrator === INTEGRATOR.implicitEuler;
  const objects = [...adapts.keys()].filter((k) => adapts[k]);
  const free = objects.filter((k) => values[`objects[${k}].adapt.joints`] === 0);
  if (objects.length === 0 || (!implicit && integrator !== INTEGRATOR.adaptive)) {
    return NOT_HERE;
  }
  if (free.length === 0) {
    return 'The scene says how many joints move.';
  }
  const paths = free.map((k) => `objects[${k}].adapt.error`);
  const [first] = free;
  if (!implicit) {
    const unit = weights[first] === WEIGHTS.reach ? 'm/s' : 'rad/s';
    return { paths, largest: LARGEST.velocity, tell: (error) => `Joints are rigid up to ${digits(error)} ${unit} in all.` };
  }
  return weights[first] === WEIGHTS.camera
    ? { paths, largest: LARGEST.angle, tell: (error) => `Tips may be ${lengthText(error)} off for each metre from the camera.` }
    : { paths, largest: LARGEST.size * size, tell: (error) => `Tips may be ${lengthText(error)} off.` };
}

export class AccuracySlider {
  private readonly input = element('input');
  private readonly text = element('p', 'told');
  private range: Range | string = NOT_HERE;

  constructor(parent: HTMLElement, onSlide: (error: number) => void, onEnd: () => void) {
    const row = element('label', 'slider');
    this.input.type = 'range';
    this.input.id = 'set-error';
    [this.input.min, this.input.max, this.input.step] = ['0', '1', 'any'];
    this.input.setAttribute('aria-label', 'Allowed error, from exact to fast');
    this.text.id = 'error-told';
    this.text.setAttribute('role', 'status');
    this.input.addEventListener('input', () => {
      const error = this.error(Number(this.input.value));
      this.tell(error);
      onSlide(error);
    });
    this.input.addEventListener('change', onEnd);
    row.append(textElement('span', 'Exact'), this.input, textElement('output', 'Fast'));
    parent.append(row, this.text);
  }

  show(error: number, range: Range | string): void {
    this.range = range;
    this.input.disabled = typeof range === 'string';
    this.input.value = String(typeof range === 'string' ? 0 : place(error, range.largest));
    this.tell(error);
  }

  private error(at: number): number {
    const largest = typeof this.range === 'string' ? 0 : this.range.largest;
    return at < EXACT ? 0 : Number((largest * LOWEST ** (1 - at)).toPrecision(2));
  }

  private tell(error: number): void {
    const { range } = this;
    const said = typeof range === 'string' ? range : error === 0 ? 'Nothing is left out.' : range.tell(error);
    this.text.textContent = said;
    this.input.setAttribute('aria-valuetext', said);
  }
}

// where on the slider an error is
function place(error: number, largest: number): number {
  return error <= 0 ? 0 : Math.min(Math.max(1 - Math.log(error / largest) / Math.log(LOWEST), EXACT), 1);
}

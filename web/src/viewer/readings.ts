// SPDX-License-Identifier: MIT
// What one reads while it moves: the head-up figures, and plots of the energy and of the segment
// that was pressed last.

import { Vector3 } from 'three';
import { lengthText } from './accuracy';
import { shortText } from './clock';
import { byId, textElement } from './dom';
import { LivePlot } from './plots';
import { WEIGHTS } from './protocol';
import type { State } from './protocol';
import type { LiveWorld } from './world';

const SMOOTH = 0.1; // share of the newest in a running mean

export class Readings {
  /** Counted over all actors. */
  picked = -1;
  private readonly energy: LivePlot;
  private readonly motion: LivePlot;
  private readonly rest = new Vector3();
  /** J: a tree's weight on its height is large beside all that moves it. */
  private startWeight = 0;
  private milliseconds = 0;
  private iterations = 0;

  constructor(parent: HTMLElement) {
    this.energy = new LivePlot(parent, 'Energy', 'J', [
      { name: 'kinetic', color: '--line-0' },
      { name: 'elastic', color: '--line-1' },
      { name: 'weight, from the start', color: '--line-2' },
    ]);
    this.motion = new LivePlot(parent, 'Displacement of the picked segment since the start', 'm', [
      { name: 'x', color: '--line-0' },
      { name: 'y', color: '--line-1' },
      { name: 'z', color: '--line-2' },
    ]);
  }

  get plotted(): { energy: number; segment: number } {
    return { energy: this.energy.count, segment: this.motion.count };
  }

  begin(world: LiveWorld): void {
    this.milliseconds = this.iterations = 0;
    this.energy.clear();
    this.startWeight = world.opened.state.energy[2];
    this.pick(world, world.highest());
  }

  pick(world: LiveWorld, segment: number): void {
    this.picked = segment;
    world.tip(segment, this.rest);
    this.motion.clear();
    const actor = world.opened.actors[world.actorOf(segment)];
    byId('picked').textContent =
      `Picked: segment ${segment - actor.first} of ${actor.name}. Press on another to pick it.`;
  }

  add(world: LiveWorld, state: State): void {
    if (state.steps > 0) {
      const mix = this.milliseconds === 0 ? 1 : SMOOTH;
      this.milliseconds += mix * (state.milliseconds / state.steps - this.milliseconds);
      this.iterations += mix * (state.iterations - this.iterations);
      const [kinetic, elastic, weight] = state.energy;
      this.energy.add(state.time, [kinetic, elastic, weight - this.startWeight]);
      this.motion.add(state.time, world.tip(this.picked, new Vector3()).sub(this.rest).toArray());
    }
  }

  drawPlots(): void {
    this.energy.draw();
    this.motion.draw();
  }

  /** `factor`: simulated over real time; null: the clock is stopped, or nothing is measured yet. */
  showFigures(world: LiveWorld | null, factor: number | null): void {
    const rows = world ? this.rows(world, factor) : [];
    byId('figures').hidden = rows.length === 0;
    byId('figures').replaceChildren(
      ...rows.flatMap(([name, value]) => [textElement('dt', name), textElement('dd', value)]));
  }

  private rows(world: LiveWorld, factor: number | null): [string, string][] {
    const { opened, drawn } = world;
    const all = opened.actors.length;
    const measured = (value: number, digits: number): string =>
      (this.milliseconds > 0 ? value.toFixed(digits) : '–');
    return [
      ['segments', String(opened.segments)],
      ['degrees of freedom', String(opened.dofs)],
      ['ms a step', measured(this.milliseconds, 2)],
      ['iterations', measured(this.iterations, 1)],
      ...adaptedRows(world),
      ...(drawn < all ? [['plants drawn', `${drawn} of ${all}`] as [string, string]] : []),
      ['of real time', factor === null ? '–' : `${shortText(factor)}×`],
    ];
  }
}

// when something is left out
function adaptedRows({ opened, state: { adapted } }: LiveWorld): [string, string][] {
  const { joints, active, estimate, velocity } = adapted;
  const unit = opened.weights[0] === WEIGHTS.reach ? 'm/s' : 'rad/s';
  const rows: [string, string][] = [['active joints', `${active} of ${joints}`]];
  if (velocity > 0) {
    rows.push(['velocity left out', `${velocity.toPrecision(2)} ${unit}`]);
  }
  if (estimate > 0) {
    rows.push(['estimated error', lengthText(estimate)]);
  }
  return active < joints || rows.length > 1 ? rows : [];
}

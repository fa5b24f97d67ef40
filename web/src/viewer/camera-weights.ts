// SPDX-License-Identifier: MIT
// Objects with `weights: camera` are as exact as the camera of the page asks for: the world is told
// where the camera stands, when it has moved.

import { Vector3 } from 'three';
import type { Picture } from './picture';
import { WEIGHTS } from './protocol';
import type { Opened } from './protocol';
import type { Simulation } from './simulation';

const CAMERA_MOVES = 0.01; // over its distance: what is less changes nothing

export class CameraWeights {
  /** Where the camera stood when the world was told. */
  readonly told = new Vector3();
  private readonly simulation: Simulation;
  private telling = false;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
  }

  /** Another world, which has not been told. */
  begin(): void {
    this.told.setScalar(Infinity);
  }

  async tell({ weights }: Opened, { stage, view }: Picture): Promise<void> {
    const { position } = stage.camera;
    const near = this.told.distanceTo(position) < CAMERA_MOVES * view.distance;
    if (near || this.telling || !weights.includes(WEIGHTS.camera)) {
      return;
    }
    const values: Record<string, number> = {};
    this.told.copy(position);
    weights.forEach((weight, k) => {
      if (weight === WEIGHTS.camera) {
        position.toArray().forEach((value, axis) => (values[`objects[${k}].adapt.camera.${'xyz'[axis]}`] = value));
      }
    });
    this.telling = true;
    // the world may be gone by now
    await this.simulation.ask({ do: 'set', values }).catch(() => undefined);
    this.telling = false;
  }
}

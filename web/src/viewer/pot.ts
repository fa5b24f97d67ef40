// SPDX-License-Identifier: MIT
// The pot of the plant that was picked: pushed by keys, or led by a hand that shakes it, as seen from
// the camera.

import { Vector3 } from 'three';
import type { Picture } from './picture';
import { POSE } from './protocol';
import type { Simulation } from './simulation';
import type { LiveWorld } from './world';

interface Picked {
  world: LiveWorld;
  actor: number;
}

export class Pot {
  /** Keys have pushed it. */
  driven = false;
  private readonly simulation: Simulation;
  private readonly picture: Picture;
  private readonly picked: () => Picked | null;

  constructor(simulation: Simulation, picture: Picture, picked: () => Picked | null) {
    this.simulation = simulation;
    this.picture = picture;
    this.picked = picked;
  }

  /** Of another world. */
  begin(): void {
    this.driven = false;
  }

  /** Pushes it: to the right and away on the ground, -1 to 1 each. */
  drive(right: number, away: number): void {
    const picked = this.picked();
    if (picked) {
      this.driven = true;
      const { object } = picked.world.opened.actors[picked.actor];
      const scale = Math.min(Math.max(picked.world.height, 0.1), 4);
      void this.simulation.ask({ do: 'drive', object, ...this.onGround(right, away), scale }).catch(() => undefined);
    }
  }

  /** Leads it to so many metres right and away from where it stood; null: it is let go. */
  lead(by: [right: number, away: number] | null): void {
    const picked = this.picked();
    if (picked) {
      const { object } = picked.world.opened.actors[picked.actor];
      void this.simulation.ask({ do: 'lead', object, by: by && this.onGround(...by) }).catch(() => undefined);
    }
  }

  /** Light, ground and camera go along with one that was pushed. */
  follow(world: LiveWorld, actor: number): void {
    if (this.driven) {
      const at = world.base(actor, new Vector3());
      const first = POSE * (world.opened.actors[actor].first + actor);
      const start = world.opened.state.poses;
      this.picture.followTo(at.x - start[first], at.z - start[first + 2]);
    }
  }

  // as the camera stands
  private onGround(right: number, away: number): { x: number; z: number } {
    const { azimuth } = this.picture.view;
    const [c, s] = [Math.cos(azimuth), Math.sin(azimuth)];
    return { x: right * c - away * s, z: -right * s - away * c };
  }
}

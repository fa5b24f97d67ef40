// SPDX-License-Identifier: MIT
// How finely a world is drawn. It comes with few triangles, so that its first picture comes soon. All
// of them are asked for when it is large on the screen and the computer draws fast, or when it stands
// still.

import type { Picture } from './picture';
import type { Simulation } from './simulation';
import type { LiveWorld } from './world';

/** Height of the plants on the screen, CSS pixels: smaller, few triangles do; larger again, they do not. */
const SMALL = 170;
const LARGE = 210;
/** From one picture to the next, s: below, all triangles can be tried; above, they were too many. */
const FAST = 0.045;
const SLOW = 0.1;

export class Detail {
  private readonly simulation: Simulation;
  private readonly picture: Picture;
  private world: LiveWorld | null = null;
  private asked = false;
  /** All triangles are drawn, and were too many while it moved. */
  private fine = false;
  private tooMany = false;

  constructor(simulation: Simulation, picture: Picture) {
    this.simulation = simulation;
    this.picture = picture;
  }

  begin(world: LiveWorld): void {
    this.world = world;
    this.asked = this.fine = this.tooMany = false;
  }

  /** Before each picture; `playing`: more will follow. */
  update(playing: boolean): void {
    const { world, picture } = this;
    if (!world?.opened.coarse) {
      return;
    }
    const large = picture.pixelsOf(world.height) > (this.fine ? SMALL : LARGE);
    const still = picture.still && !playing;
    this.tooMany ||= this.fine && !still && picture.seconds > SLOW;
    const fast = picture.seconds < FAST;
    const wanted = large && (still || (!this.tooMany && (this.fine || fast)));
    if (wanted && !this.asked && picture.drawing) {
      void this.finest();
    }
    this.show(wanted && world.hasFiner);
  }

  /** For a picture that is kept: all triangles, whatever they take. */
  async finest(): Promise<void> {
    const { world, picture } = this;
    if (!world?.opened.coarse) {
      return;
    }
    if (!this.asked) {
      this.asked = true;
      const looks = await this.simulation.ask({ do: 'finer' }).catch(() => null);
      if (looks && world === this.world) {
        picture.addFiner(world.addFiner(looks));
      }
    }
    if (world === this.world) {
      this.show(world.hasFiner);
    }
  }

  private show(fine: boolean): void {
    this.fine = fine;
    if (this.world!.chooseFiner(fine)) {
      this.picture.redraw();
    }
  }
}

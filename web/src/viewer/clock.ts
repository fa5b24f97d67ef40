// SPDX-License-Identifier: MIT
// Playing or not, how fast, how much time is due, and whether the simulation keeps up.

import { byId } from './dom';
import { saySlow } from './notices';

const LONGEST_FRAME = 0.25; // s: after a pause of the browser the clock goes on, it does not leap
const GRACE = 1; // s
const SLOW = 0.8; // of the wanted speed: below this the page says that time has slowed
const MOST_STEPPING = 0.7; // of the time that there is: above this, steps are what takes long

export class Clock {
  playing = true;
  /** Simulated over real time, as it was in the last second or more; null until that is measured. */
  factor: number | null = null;
  private readonly choice = byId<HTMLSelectElement>('speed');
  private last = -1;
  private due = 0;
  private simulated = 0;
  private real = 0;
  private grace = 0;
  /** s, of the worker. */
  private stepping = 0;
  private answers = 0;

  constructor() {
    // a page that nobody sees gets no frames: that time is not measured
    document.addEventListener('visibilitychange', () => this.begin());
  }

  get speed(): number {
    return Number(this.choice.value);
  }

  set speed(speed: number) {
    this.choice.value = String(speed);
  }

  setPlaying(playing: boolean): void {
    this.playing = playing;
    document.body.classList.toggle('playing', playing);
    byId('play').setAttribute('aria-label', playing ? 'Stop' : 'Play');
    this.begin();
  }

  /** Measures anew, but for the first moments, in which a plant is made ready to be drawn. */
  begin(): void {
    this.grace = GRACE;
    this.due = 0;
    this.factor = null;
    this.measureAnew();
    saySlow('');
  }

  private measureAnew(): void {
    this.simulated = this.real = this.stepping = this.answers = 0;
  }

  /** Seconds since the frame before, as the page counts them; `time` in seconds. `live`: something is simulated. */
  tick(time: number, live: boolean): number {
    const real = this.last < 0 ? 0 : time - this.last;
    const dt = Math.min(real, LONGEST_FRAME);
    this.last = time;
    this.measure(real, live);
    if (this.playing) {
      this.due = Math.min(this.due + dt * this.speed, LONGEST_FRAME * Math.max(1, this.speed));
    }
    return dt;
  }

  /** Takes all time that is due, s. */
  takeDue(): number {
    const { due } = this;
    this.due = 0;
    return due;
  }

  /** So much has been simulated, and took so long; s. */
  passed(seconds: number, took: number): void {
    this.simulated += Math.max(0, seconds);
    this.stepping += took;
    this.answers++;
  }

  // over a second, or until a step is done that takes longer
  private measure(real: number, live: boolean): void {
    this.real += real;
    if (this.grace > 0) {
      this.grace -= real;
      this.measureAnew();
    } else if (this.real >= 1 && (this.answers > 0 || !live || !this.playing)) {
      this.factor = this.simulated / this.real;
      const slowed = this.playing && live && this.factor < SLOW * this.speed;
      saySlow(slowed ? `Time has slowed to ${shortText(this.factor)} of real time: ${this.reason}.` : '');
      this.measureAnew();
    }
  }

  // steps for a simulated second have 1/speed of a second
  private get reason(): string {
    return this.stepping * this.speed > MOST_STEPPING * this.simulated
      ? 'its steps take long on this computer' : 'this computer draws slowly';
  }

  show(time: number): void {
    byId('clock').textContent = `${time.toFixed(2)} s`;
  }
}

/** A ratio with two digits after the point, and with two that count where it is small. */
export const shortText = (ratio: number): string => (ratio >= 0.1 || ratio === 0 ? ratio.toFixed(2) : ratio.toPrecision(2));

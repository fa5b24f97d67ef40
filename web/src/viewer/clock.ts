// SPDX-License-Identifier: MIT
// Playing or not, how fast, how much time is due, and whether the simulation keeps up.

import { byId } from './dom';

const LONGEST_FRAME = 0.25; // s: after a pause of the browser the clock goes on, it does not leap
const SLOW = 0.8; // of the wanted speed: below this the page says that time has slowed

export class Clock {
  playing = true;
  /** Simulated over real time, as it was in the last second. */
  factor = 1;
  private readonly choice = byId<HTMLSelectElement>('speed');
  private last = -1;
  private due = 0;
  private simulated = 0;
  private real = 0;

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

  /** Measures anew. */
  begin(): void {
    this.due = this.simulated = this.real = 0;
    this.factor = this.speed;
  }

  /** Seconds since the frame before; `time` in seconds. */
  tick(time: number): number {
    const dt = this.last < 0 ? 0 : Math.min(time - this.last, LONGEST_FRAME);
    this.last = time;
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

  /** So much has been simulated, s. */
  passed(seconds: number): void {
    this.simulated += Math.max(0, seconds);
  }

  /** `live`: something is simulated. */
  measure(dt: number, live: boolean): void {
    this.real += dt;
    if (this.real >= 1) {
      this.factor = this.simulated / this.real;
      this.simulated = this.real = 0;
      const slowed = this.playing && live && this.factor < SLOW * this.speed;
      byId('notice').textContent = slowed
        ? `Time has slowed to ${this.factor.toFixed(2)} of real time: the plant is large for this computer.`
        : '';
    }
  }

  show(time: number): void {
    byId('clock').textContent = `${time.toFixed(2)} s`;
  }
}

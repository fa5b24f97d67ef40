// SPDX-License-Identifier: MIT
// The way back: what was grown and what was changed in it, before each change. One list for texts
// and settings, so that Undo takes back whatever came last.

import type { Shown } from './library';
import type { Settings } from './settings';

/** What there was at a time. */
export interface Moment {
  shown: Shown;
  /** Settings that differed from what the scene says. */
  changes: Partial<Settings>;
}

/** So many steps back are kept: texts can be long. */
const MOST = 200;

export class History {
  private past: Moment[] = [];
  private future: Moment[] = [];
  private readonly listeners: (() => void)[] = [];

  /** There is another way back, or none. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** Something else is shown: there is no way back from it. */
  begin(): void {
    this.past = [];
    this.future = [];
    this.changed();
  }

  /** Before a change. */
  remember(before: Moment): void {
    this.past.push(before);
    this.past.splice(0, this.past.length - MOST);
    this.future = [];
    this.changed();
  }

  /** What was before the last change, which was refused. */
  takeBack(): Moment | undefined {
    const before = this.past.pop();
    this.changed();
    return before;
  }

  undo(now: Moment): Moment | undefined {
    return this.pass(this.past, this.future, now);
  }

  redo(now: Moment): Moment | undefined {
    return this.pass(this.future, this.past, now);
  }

  private pass(from: Moment[], to: Moment[], now: Moment): Moment | undefined {
    const found = from.pop();
    if (found) {
      to.push(now);
    }
    this.changed();
    return found;
  }

  private changed(): void {
    this.listeners.forEach((listener) => listener());
  }
}

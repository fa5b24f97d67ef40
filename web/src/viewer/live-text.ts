// SPDX-License-Identifier: MIT
// Texts that change many times a second, while a slider or a handle is dragged: one growth at a time,
// always of the newest text, and one step back for the whole move.

import type { Moment } from './history';
import type { Viewer } from './viewer';

export class LiveText {
  private readonly viewer: Viewer;
  private before: Moment | null = null;
  private wanted: { texts: Record<string, string>; file?: string } | null = null;
  private running: Promise<void> | null = null;

  constructor(viewer: Viewer) {
    this.viewer = viewer;
  }

  /** A move is on its way. */
  get busy(): boolean {
    return this.running !== null;
  }

  /** Texts that are not grown yet are the newest. */
  textOf(file: string): string {
    return this.wanted?.texts[file] ?? this.viewer.texts.of(file);
  }

  /** Grows these as soon as what came before has grown. `file`: what is opened from now on. */
  tell(texts: Record<string, string>, file?: string): void {
    this.before ??= this.viewer.texts.moment;
    this.wanted = { texts: { ...this.wanted?.texts, ...texts }, file: file ?? this.wanted?.file };
    this.running ??= this.growAll();
  }

  /** The move is over: from now on Undo goes back to before it. */
  async end(): Promise<void> {
    await this.running;
    const { before } = this;
    this.before = null;
    if (before && before.shown !== this.viewer.shown) {
      this.viewer.history.remember(before);
    }
  }

  private async growAll(): Promise<void> {
    while (this.wanted) {
      const { texts, file } = this.wanted;
      this.wanted = null;
      await this.viewer.texts.grow(texts, file);
    }
    this.running = null;
  }
}

// SPDX-License-Identifier: MIT
// Texts that a visitor writes, and the way back: what is typed grows, is kept model by model, and
// Undo goes back over texts and settings alike.

import type { Moment } from './history';
import { editable, isModel } from './library';
import { sayFault } from './notices';
import type { Edited, Fault } from './protocol';
import type { Edit } from './scene-text';
import { isRefused } from './simulation';
import type { Viewer } from './viewer';

export class Texts {
  private readonly viewer: Viewer;
  /** What there was before what is being typed. */
  private typing: Moment | null = null;

  constructor(viewer: Viewer) {
    this.viewer = viewer;
  }

  /** Something else is shown. */
  begin(): void {
    this.viewer.history.begin();
    this.typing = null;
    this.viewer.editor.dropDrafts();
  }

  /** Of the library, and those that have taken their place. */
  all(edited = this.viewer.shown.edited): Record<string, string> {
    return { ...this.viewer.library.files, ...edited };
  }

  of(file: string): string {
    const { shown, library } = this.viewer;
    return shown.edited[file] ?? library.files[file] ?? '';
  }

  /** Puts them into the editor. */
  show(shown = this.viewer.shown): Record<string, string> {
    const texts = editable(shown.file, this.all(shown.edited));
    this.viewer.editor.setFiles(texts);
    return texts;
  }

  // ---- growing ------------------------------------------------------------------------------------

  /** All that is typed until it grows is one step back, even when it is wrong. */
  onTyped(file: string, text: string): void {
    const { history, own, shown } = this.viewer;
    if (!this.typing) {
      this.typing = this.moment;
      history.remember(this.typing);
    }
    if (shown.item) {
      own.keepDraft(shown.item, file, text);
    }
  }

  async growTyped(file: string, text: string): Promise<void> {
    const same = text === this.of(file);
    if (await this.grow({ [file]: text }) && this.typing) {
      this.typing = null;
      if (same) {
        this.viewer.history.takeBack();
      }
    }
  }

  /** The same with other texts, which nothing takes back: for what is told many times a second. */
  async grow(texts: Record<string, string>, file = this.viewer.shown.file): Promise<boolean> {
    const { viewer } = this;
    const { item, edited } = viewer.shown;
    const fresh = file !== viewer.shown.file;
    const shown = { item: fresh ? null : item, file, edited: { ...edited, ...texts } };
    const grown = await viewer.open(shown, { changes: viewer.settings.changes(), keepView: true, again: true });
    if (grown && fresh) {
      viewer.addOwn(shown);
    }
    return grown && this.keep();
  }

  /** As they came; Undo brings back what was written. */
  async growOriginals(): Promise<void> {
    const { own, history, shown } = this.viewer;
    const before = this.moment;
    if (shown.item && await this.grow(own.originals(shown.item, Object.keys(shown.edited)))) {
      history.remember(before);
    }
  }

  private keep(): true {
    const { own, shown } = this.viewer;
    if (shown.item) {
      own.keepTexts(shown.item, shown.edited);
    }
    return true;
  }

  // ---- asking -------------------------------------------------------------------------------------

  /** A scene's text with changes; null when they cannot be made, which the page then says. */
  async editScene(text: string, edits: Edit[]): Promise<Edited | null> {
    try {
      return await this.viewer.simulation.ask({ do: 'edit', text, edits });
    } catch (error) {
      if (edits.length > 0) {
        sayFault((error as Error).message);
      }
      return null;
    }
  }

  async check(file: string, text: string): Promise<Fault[]> {
    if (!isModel(file)) {
      return [];
    }
    try {
      return await this.viewer.simulation.ask({ do: 'check', file, text, files: this.all() });
    } catch (error) {
      return isRefused(error) ? error.faults : [];
    }
  }

  // ---- the way back -------------------------------------------------------------------------------

  get moment(): Moment {
    return { shown: this.viewer.shown, changes: this.viewer.settings.changes() };
  }

  undo(): Promise<void> {
    return this.goTo(this.viewer.history.undo(this.moment));
  }

  redo(): Promise<void> {
    return this.goTo(this.viewer.history.redo(this.moment));
  }

  private async goTo(moment: Moment | undefined): Promise<void> {
    const { viewer } = this;
    this.typing = null;
    viewer.editor.dropDrafts();
    if (moment && moment.shown === viewer.shown) {
      this.show();
      this.keep();
      await viewer.settings.become(moment.changes);
    } else if (moment && await viewer.open(moment.shown, { changes: moment.changes, keepView: true, again: true })) {
      this.keep();
    }
  }
}

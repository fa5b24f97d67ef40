// SPDX-License-Identifier: MIT
// Buttons, keys and overlays' boxes: what a person does, as calls of the viewer.

import { byId } from './dom';
import { FileOpener } from './files';
import type { Keeper } from './keeper';
import { listenToNotices } from './notices';
import { COLORINGS, OVERLAYS } from './overlays';
import type { Overlay } from './overlays';
import { Sash } from './sash';
import type { Viewer } from './viewer';

export class Controls {
  private readonly viewer: Viewer;
  private readonly arrows = new Set<string>();

  constructor(viewer: Viewer, keeper: Keeper) {
    this.viewer = viewer;
    const click = (id: string, does: () => void): void => byId(id).addEventListener('click', does);
    click('play', () => this.togglePlaying());
    click('single', () => viewer.singleStep());
    click('reset', () => void viewer.reset());
    click('undo', () => void viewer.texts.undo());
    click('twist', () => this.toggleTwist());
    click('contacts', () => this.toggleContacts());
    keeper.listen();
    byId('overlays').addEventListener('change', ({ target }) => {
      leaveOneColoring(target as HTMLInputElement);
      this.showOverlays();
    });
    document.addEventListener('keydown', (event) => this.onKey(event));
    document.addEventListener('keyup', (event) => this.onKeyUp(event));
    window.addEventListener('blur', () => this.dropArrows());
    new FileOpener(viewer);
    listenToNotices();
    new Sash();
    click('original', () => void viewer.texts.growOriginals());
  }

  private togglePlaying(): void {
    this.viewer.clock.setPlaying(!this.viewer.clock.playing);
    this.viewer.picture.touched();
  }

  private toggleTwist(): void {
    const { hand } = this.viewer;
    hand.twists = !hand.twists;
    byId('twist').setAttribute('aria-pressed', String(hand.twists));
    document.body.classList.toggle('twists', hand.twists);
  }

  private toggleContacts(): void {
    const box = overlayBox('contacts');
    box.checked = !box.checked;
    this.showOverlays();
  }

  private showOverlays(): void {
    this.viewer.showOverlays(this.checkedOverlays());
  }

  private checkedOverlays(): Overlay[] {
    return OVERLAYS.filter((name) => overlayBox(name).checked);
  }

  // ---- keys ---------------------------------------------------------------------------------------

  private onKey(event: KeyboardEvent): void {
    const { target, key } = event;
    const command = event.ctrlKey || event.metaKey;
    if (command && key.toLowerCase() === 'z' && !isWriting(target)) {
      event.preventDefault();
      return void (event.shiftKey ? this.viewer.texts.redo() : this.viewer.texts.undo());
    }
    if (command || event.altKey || takesKeys(target)) {
      return;
    }
    if (key === ' ' && !(target instanceof HTMLButtonElement) && !(target instanceof HTMLInputElement)) {
      event.preventDefault();
      this.togglePlaying();
    } else if (key.startsWith('Arrow') && !isTab(target)) {
      event.preventDefault();
      this.pressArrow(key);
    } else {
      this.onLetter(key);
    }
  }

  private onLetter(key: string): void {
    const { viewer } = this;
    const does: Record<string, () => void> = {
      '.': () => viewer.singleStep(),
      r: () => void viewer.reset(),
      t: () => this.toggleTwist(),
      f: () => viewer.picture.frameAgain(),
      c: () => this.toggleContacts(),
    };
    does[key]?.();
  }

  private pressArrow(key: string): void {
    if (!this.arrows.has(key)) {
      this.arrows.add(key);
      this.drive();
    }
  }

  private onKeyUp(event: KeyboardEvent): void {
    if (this.arrows.delete(event.key)) {
      this.drive();
    }
  }

  private dropArrows(): void {
    if (this.arrows.size > 0) {
      this.arrows.clear();
      this.drive();
    }
  }

  private drive(): void {
    const pressed = (key: string): number => Number(this.arrows.has(key));
    this.viewer.pot.drive(pressed('ArrowRight') - pressed('ArrowLeft'), pressed('ArrowUp') - pressed('ArrowDown'));
  }
}

export function overlayBox(name: Overlay): HTMLInputElement {
  return byId('overlays').querySelector<HTMLInputElement>(`input[value=${name}]`)!;
}

// a box that was ticked takes the place of others that colour the plants too
function leaveOneColoring({ value, checked }: HTMLInputElement): void {
  if (checked && COLORINGS.includes(value as Overlay)) {
    COLORINGS.filter((one) => one !== value).forEach((one) => (overlayBox(one).checked = false));
  }
}

/** Fields in which keys have a meaning of their own. */
function takesKeys(target: EventTarget | null): boolean {
  return isWriting(target) || target instanceof HTMLSelectElement
    || (target instanceof HTMLInputElement && target.type !== 'checkbox');
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.isContentEditable;
}

function isTab(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.getAttribute('role') === 'tab';
}

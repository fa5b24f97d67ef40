// SPDX-License-Identifier: MIT
// What is kept or sent: pictures, animations, videos, links; and what a link brings back.

import { overlayBox } from './controls';
import { byId } from './dom';
import { sayFault, sayNote } from './notices';
import { OVERLAYS } from './overlays';
import { Video, download } from './save';
import { fromHash, isLink, toHash } from './share';
import type { Shared } from './share';
import { NOW, keep, recall } from './storage';
import type { Viewer } from './viewer';

export class Keeper {
  /** A link is being opened. */
  private following = false;
  private readonly viewer: Viewer;
  private readonly video: Video;

  constructor(viewer: Viewer) {
    this.viewer = viewer;
    this.video = new Video(viewer.picture.canvas);
  }

  listen(): void {
    byId('picture').addEventListener('click', () => void this.savePicture());
    byId('glb').addEventListener('click', () => void this.saveAnimation());
    byId('video').addEventListener('click', () => void this.toggleVideo());
    byId('link').addEventListener('click', () => void this.showLink());
    byId<HTMLButtonElement>('video').disabled = !Video.offered;
    window.addEventListener('hashchange', () => void this.openShared());
    this.viewer.history.onChange(() => this.dropLink());
    // a page on a phone may never come back from the background
    window.addEventListener('pagehide', () => this.keepNow());
    document.addEventListener('visibilitychange', () => document.hidden && this.keepNow());
  }

  // ---- files --------------------------------------------------------------------------------------

  private async savePicture(): Promise<void> {
    const { picture, shortName } = this.viewer;
    await this.viewer.detail.finest();
    picture.draw();
    picture.canvas.toBlob((data) => data && download(data, `${shortName}.png`), 'image/png');
  }

  private async saveAnimation(): Promise<void> {
    try {
      const data = await this.viewer.simulation.ask({ do: 'glb' });
      const blob = new Blob([data as Uint8Array<ArrayBuffer>], { type: 'model/gltf-binary' });
      download(blob, `${this.viewer.shortName}.glb`);
    } catch (error) {
      sayFault((error as Error).message);
    }
  }

  private async toggleVideo(): Promise<void> {
    const button = byId('video');
    if (this.video.running) {
      button.setAttribute('aria-pressed', 'false');
      byId('recording').hidden = true;
      const data = await this.video.stop();
      download(data, `${this.viewer.shortName}.${data.type.includes('mp4') ? 'mp4' : 'webm'}`);
    } else {
      this.video.start();
      button.setAttribute('aria-pressed', 'true');
      this.showRecording(performance.now());
    }
  }

  // beside the picture, not in it
  private showRecording(start: number): void {
    if (this.video.running) {
      const seconds = Math.floor((performance.now() - start) / 1000);
      byId('recording').textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
      byId('recording').hidden = false;
      setTimeout(() => this.showRecording(start), 200);
    }
  }

  // ---- links --------------------------------------------------------------------------------------

  /** `complete`: the motion is in it as well. */
  async link(): Promise<{ link: string; complete: boolean }> {
    const { bytes, sliding } = await this.viewer.simulation.ask({ do: 'save' });
    const { hash, complete } = await toHash({ ...this.shared(), sliding }, bytes);
    return { link: location.href.replace(/#.*$/, '') + hash, complete };
  }

  // all but the motion; others do not have the visitor's own files
  private shared(): Shared {
    const { viewer } = this;
    const { item, file, edited } = viewer.shown;
    return {
      ...(item && !viewer.own.owns(item) ? { item: item.name } : { file }),
      ...(Object.keys(edited).length > 0 && { files: edited }),
      settings: viewer.settings.changes(),
      overlays: [...viewer.overlays.on],
      speed: viewer.clock.speed,
      paused: !viewer.clock.playing,
      view: viewer.picture.viewNumbers,
      time: viewer.world?.state.time,
    };
  }

  private async showLink(): Promise<void> {
    const { link, complete } = await this.link();
    history.replaceState(null, '', link.slice(link.indexOf('#')));
    const text = byId<HTMLInputElement>('link-text');
    byId('link-out').hidden = false;
    byId('link-note').textContent = complete
      ? 'The link continues from this moment.'
      : 'The scene is too large for a link with its motion: the link will start at rest.';
    text.value = link;
    text.select();
    await navigator.clipboard?.writeText(link).catch(() => undefined);
  }

  /** What was changed is not what the link says. */
  private dropLink(): void {
    if (!this.following && isLink(location.hash)) {
      history.replaceState(null, '', location.href.replace(/#.*$/, ''));
    }
    byId('link-out').hidden = true;
  }

  /** What the address of the page says; false when it says nothing. */
  async openShared(): Promise<boolean> {
    this.following = true;
    const opened = await this.openHash(location.hash);
    this.following = false;
    if (!opened && isLink(location.hash)) {
      this.dropLink();
      sayNote('The link cannot be followed: it is damaged, or was made by another page.');
    }
    return opened;
  }

  private async openHash(hash: string): Promise<boolean> {
    const { viewer } = this;
    const found = await fromHash(hash);
    const item = viewer.library.items.find(({ name }) => name === found?.shared.item) ?? null;
    const file = item?.file ?? found?.shared.file;
    if (!found || !file) {
      return false;
    }
    const { shared, motion } = found;
    const { playing } = viewer.clock;
    viewer.clock.setPlaying(false); // until it is as it was
    const saved = motion ? { bytes: motion, sliding: shared.sliding ?? [0, 0, 0, 1] as [number, number, number, number] } : undefined;
    const opened = await viewer.open({ item, file, edited: { ...shared.files } }, { changes: shared.settings, saved });
    if (opened) {
      this.restore(shared, motion !== null);
    } else {
      viewer.clock.setPlaying(playing);
    }
    return opened;
  }

  // ---- loading the page again ---------------------------------------------------------------------

  private keepNow(): void {
    const { item } = this.viewer.shown;
    const shared = this.shared();
    keep(NOW, item ? { ...shared, item: item.name, file: undefined, files: undefined } : shared, 'tab');
  }

  /** What this tab has shown before it was loaded again; false when that was nothing. */
  async openLast(): Promise<boolean> {
    const { viewer } = this;
    const shared = recall<Shared>(NOW, 'tab');
    const item = viewer.own.find(shared?.item);
    const { file, files, settings } = shared ?? {};
    const opened = item ? await viewer.chooseItem(item, settings)
      : file !== undefined && await viewer.open({ item: null, file, edited: { ...files } }, { changes: settings });
    if (opened) {
      this.restore(shared!, true);
    }
    return opened;
  }

  private restore(shared: Shared, moving: boolean): void {
    const { clock, picture } = this.viewer;
    const overlays = OVERLAYS.filter((one) => shared.overlays?.includes(one));
    OVERLAYS.forEach((one) => (overlayBox(one).checked = overlays.includes(one)));
    this.viewer.showOverlays(overlays);
    clock.speed = shared.speed ?? 1;
    clock.setPlaying(!shared.paused);
    if (shared.view?.length === 6 && shared.view.every(Number.isFinite)) {
      picture.setView(shared.view);
    }
    if (!moving && shared.time) {
      sayNote(`This link was made at ${shared.time.toFixed(2)} s. The scene is too large for its motion`
        + ' to be in a link: it starts at rest, with all changes.');
    }
  }
}

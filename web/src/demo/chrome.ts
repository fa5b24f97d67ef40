// SPDX-License-Identifier: MIT
// The page around the picture: the strip of plants and the caption.

import { Vector3 } from 'three';
import type { Model } from '../model';
import type { Label } from './plants';

/** Thumbnails, in pixels of their own. */
export const THUMBNAIL = { width: 176, height: 132 };

export class Strip {
  private readonly buttons: HTMLButtonElement[];

  constructor(labels: Label[], onChoose: (index: number) => void) {
    const list = document.getElementById('strip')!;
    this.buttons = labels.map((label, index) => {
      const button = document.createElement('button');
      button.type = 'button';
      const picture = document.createElement('canvas');
      picture.width = THUMBNAIL.width;
      picture.height = THUMBNAIL.height;
      const title = document.createElement('span');
      title.textContent = label.title;
      button.append(picture, title);
      button.addEventListener('click', () => onChoose(index));
      const item = document.createElement('li');
      item.append(button);
      list.append(item);
      return button;
    });
  }

  /** Marks the plant that is shown. The keyboard's focus follows if it was in the strip. */
  select(index: number): void {
    const focused = this.buttons.includes(document.activeElement as HTMLButtonElement);
    this.buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(i === index)));
    if (focused) {
      this.buttons[index].focus({ preventScroll: true });
    }
    const list = document.getElementById('strip')!;
    const button = this.buttons[index];
    list.scrollTo({ left: button.offsetLeft - (list.clientWidth - button.offsetWidth) / 2 });
  }

  thumbnail(index: number): CanvasRenderingContext2D {
    return this.buttons[index].querySelector('canvas')!.getContext('2d')!;
  }

  markDrawn(index: number): void {
    this.buttons[index].classList.add('drawn');
  }
}

export function writeCaption(label: Label, model: Model): void {
  const size = model.box.getSize(new Vector3());
  const extent = model.flat ? [size.x, size.y] : [size.x, size.y, size.z];
  setText('title', label.title);
  setText('text', label.text);
  const triangles = `${model.triangles.toLocaleString('en')} triangles`;
  setText('figures', `${extent.map(metres).join(' × ')} m, ${triangles}`);
}

export function writeFault(message: string): void {
  setText('title', 'No picture');
  setText('text', message);
  setText('figures', '');
}

function metres(length: number): string {
  const digits = length >= 100 ? 0 : length >= 10 ? 1 : length >= 0.1 ? 2 : 3;
  return length.toFixed(digits);
}

function setText(id: string, text: string): void {
  document.getElementById(id)!.textContent = text;
}

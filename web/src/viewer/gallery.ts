// SPDX-License-Identifier: MIT
// The plants and scenes to choose from, each with a small picture.

import { hasStrand } from './library';
import type { Item, Library } from './library';

/** Scenes of ropes, chains and cords stand under a heading of their own. */
const STRANDS = 'Strands';

export class Gallery {
  private readonly buttons = new Map<string, HTMLButtonElement>();

  constructor(parent: HTMLElement, { items, files }: Library, onChoose: (item: Item) => void) {
    const groups = new Map<string, Item[]>();
    for (const item of items) {
      const group = hasStrand(files[item.file]) ? STRANDS : item.group;
      groups.set(group, [...(groups.get(group) ?? []), item]);
    }
    for (const [title, members] of groups) {
      const heading = document.createElement('h2');
      const list = document.createElement('ul');
      heading.textContent = title;
      members.forEach((item) => list.append(this.entry(item, onChoose)));
      parent.append(heading, list);
    }
  }

  show(name: string | null): void {
    this.buttons.forEach((button, key) => button.setAttribute('aria-current', String(key === name)));
  }

  private entry(item: Item, onChoose: (item: Item) => void): HTMLElement {
    const entry = document.createElement('li');
    const button = document.createElement('button');
    const picture = document.getElementById(`thumb-${item.name}`);
    button.type = 'button';
    button.dataset.name = item.name;
    button.title = item.text;
    if (picture) {
      const image = new Image();
      image.alt = '';
      image.loading = 'lazy';
      image.src = `data:image/jpeg;base64,${picture.textContent!}`;
      button.append(image);
    } else {
      const blank = document.createElement('span');
      blank.className = 'blank';
      button.append(blank);
    }
    button.append(item.title);
    button.addEventListener('click', () => onChoose(item));
    this.buttons.set(item.name, button);
    entry.append(button);
    return entry;
  }
}

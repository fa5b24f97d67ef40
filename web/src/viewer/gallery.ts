// SPDX-License-Identifier: MIT
// The plants and scenes to choose from, each with a small picture.

import { element, textElement } from './dom';
import { hasStrand } from './library';
import type { Item, Library } from './library';

/** Scenes of ropes, chains and cords stand under a heading of their own. */
const STRANDS = 'Strands';

export class Gallery {
  private readonly buttons = new Map<string, HTMLButtonElement>();
  private readonly items = new Map<string, Item>();
  private readonly own = element('div');
  private readonly parent: HTMLElement;
  private readonly library: Library;
  private readonly onChoose: (item: Item) => void;
  private shown: string | null = null;

  constructor(parent: HTMLElement, library: Library, onChoose: (item: Item) => void) {
    this.parent = parent;
    this.library = library;
    this.onChoose = onChoose;
    parent.append(this.own);
  }

  /** What the page came with: many pictures, for which the first one of the plant does not wait. */
  fill(): void {
    const { items, files } = this.library;
    const groupOf = (item: Item): string => (hasStrand(files[item.file]) ? STRANDS : item.group);
    this.addGroups(this.parent, items, groupOf, pictureIn);
  }

  /** What the visitor has brought stands first. */
  setOwn(items: Item[], pictureOf: (item: Item) => string | undefined, isEdited: (item: Item) => boolean): void {
    this.own.querySelectorAll('button').forEach(({ dataset }) => this.buttons.delete(dataset.name!));
    this.own.replaceChildren();
    this.addGroups(this.own, items, ({ group }) => group, pictureOf);
    this.buttons.forEach((button, name) => {
      button.classList.toggle('edited', isEdited(this.items.get(name)!));
    });
    this.show(this.shown);
  }

  show(name: string | null): void {
    this.shown = name;
    this.buttons.forEach((button, key) => button.setAttribute('aria-current', String(key === name)));
  }

  private addGroups(
    parent: HTMLElement, items: Item[], groupOf: (item: Item) => string, pictureOf: (item: Item) => string | undefined,
  ): void {
    const groups = new Map<string, Item[]>();
    items.forEach((item) => groups.set(groupOf(item), [...(groups.get(groupOf(item)) ?? []), item]));
    for (const [title, members] of groups) {
      const list = element('ul');
      members.forEach((item) => list.append(this.entry(item, pictureOf(item))));
      parent.append(textElement('h2', title), list);
    }
  }

  private entry(item: Item, picture: string | undefined): HTMLElement {
    const entry = element('li');
    const button = element('button');
    button.type = 'button';
    button.dataset.name = item.name;
    button.title = item.text;
    if (picture) {
      const image = new Image();
      image.alt = '';
      image.loading = 'lazy';
      image.src = picture;
      button.append(image);
    } else {
      button.append(element('span', 'blank'));
    }
    button.append(item.title);
    button.addEventListener('click', () => this.onChoose(item));
    this.buttons.set(item.name, button);
    this.items.set(item.name, item);
    entry.append(button);
    return entry;
  }
}

/** The small picture that the page has of it. */
function pictureIn({ name }: Item): string | undefined {
  const picture = document.getElementById(`thumb-${name}`);
  return picture ? `data:image/jpeg;base64,${picture.textContent!}` : undefined;
}

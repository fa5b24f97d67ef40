// SPDX-License-Identifier: MIT
// Which solver each object has: one choice for all, and one for each object where there are several.
// What there is to choose from is what the library says that it knows.

import { element, textElement } from './dom';
import type { Opened } from './protocol';

const LABELS: Record<string, string> = { tree: 'rigid segments (tree)', rod: 'elastic rods (rod)' };
const MIXED = '';

export class SolverRows {
  private readonly group = element('div', 'solvers');
  private readonly onChoose: (solvers: string) => void;
  private all: HTMLSelectElement | null = null;
  private each: HTMLSelectElement[] = [];

  /** `onChoose` gets the solvers of all objects, with a space between. */
  constructor(parent: HTMLElement, onChoose: (solvers: string) => void) {
    this.onChoose = onChoose;
    parent.append(this.group);
  }

  begin({ objects, knownSolvers }: Opened): void {
    this.each = objects.map(() => choice(knownSolvers));
    this.each.forEach((select) => select.addEventListener('change', () => this.choose()));
    this.all = objects.length > 1 ? choice(knownSolvers) : null;
    this.all?.append(new Option('not all alike', MIXED));
    this.all?.addEventListener('change', () => this.chooseAll(this.all!.value));
    (this.all ?? this.each[0]).id = 'set-solver';
    this.group.replaceChildren(row('Solver', this.all ?? this.each[0]));
    if (this.all) {
      const details = element('details');
      details.append(textElement('summary', 'of each object'));
      this.each.forEach((select, k) => details.append(row(objects[k], select)));
      this.group.append(details);
    }
  }

  show(solvers: string): void {
    const names = solvers.split(' ');
    this.each.forEach((select, k) => (select.value = names[k]));
    if (this.all) {
      this.all.value = names.every((name) => name === names[0]) ? names[0] : MIXED;
    }
  }

  private choose(): void {
    this.onChoose(this.each.map(({ value }) => value).join(' '));
  }

  private chooseAll(solver: string): void {
    if (solver !== MIXED) {
      this.onChoose(this.each.map(() => solver).join(' '));
    }
  }
}

function choice(names: string[]): HTMLSelectElement {
  const select = element('select');
  names.forEach((name) => select.append(new Option(LABELS[name] ?? name, name)));
  return select;
}

function row(label: string, select: HTMLSelectElement): HTMLElement {
  const made = element('label', 'choice');
  made.append(textElement('span', label), select);
  return made;
}

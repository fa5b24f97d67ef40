// SPDX-License-Identifier: MIT
// Settings that go together, as buttons: the wind, what plants are made of, and how exactly they are
// simulated.

import { element, textElement } from './dom';
import type { Settings } from './settings';

export interface Preset {
  label: string;
  /** What it comes to, given what the scene itself says. */
  changes(scene: Settings, largestError: number): Partial<Settings>;
}

/**
 * m/s, each within its range of the Beaufort scale (WMO): light breeze 1.6 to 3.3, fresh breeze 8.0 to
 * 10.7, gale 17.2 to 20.7.
 */
export const AIR = {
  calm: { wind: 0, gust: 0, turbulence: 0 },
  lightBreeze: { wind: 3, gust: 0.5, turbulence: 0.2 },
  freshBreeze: { wind: 9, gust: 0.4, turbulence: 0.2 },
  gale: { wind: 18, gust: 0.4, turbulence: 0.2 },
};
export const BREEZE: Partial<Settings> = AIR.lightBreeze;

const fixed = (label: string, changes: Partial<Settings>): Preset => ({ label, changes: () => changes });

const DRAFT = { step: 1 / 30, error: 0.1 }; // of the largest error
const FINER = 4; // times as many steps

/** What plants are made of goes by factors over what they are. */
export const PRESETS: Record<string, Preset[]> = {
  Wind: [
    fixed('Calm', AIR.calm),
    fixed('Light breeze', AIR.lightBreeze),
    fixed('Fresh breeze', AIR.freshBreeze),
    fixed('Gale', AIR.gale),
  ],
  Plant: [
    fixed('Wilted', { stiffness: 0.08, damping: 1 }),
    fixed('Soft', { stiffness: 0.35, damping: 1 }),
    fixed('As grown', { stiffness: 1, damping: 1 }),
    fixed('Woody', { stiffness: 5, damping: 0.5 }),
    fixed('Springy', { stiffness: 0.5, damping: 0.08 }),
  ],
  Accuracy: [
    { label: 'Draft', changes: (_, largest) => ({ step: DRAFT.step, error: DRAFT.error * largest }) },
    { label: 'As the scene says', changes: ({ step, error }) => ({ step, error }) },
    { label: 'Fine', changes: ({ step }) => ({ step: step / FINER, error: 0 }) },
  ],
};

/** A row of buttons; the one whose settings are in force is pressed. */
export class PresetRow {
  private readonly buttons: [HTMLButtonElement, Preset][] = [];
  private scene: Settings | null = null;
  private largestError = 0;

  constructor(parent: HTMLElement, presets: Preset[], onChoose: (changes: Partial<Settings>) => void) {
    const row = element('div', 'presets');
    for (const preset of presets) {
      const button = textElement('button', preset.label);
      button.type = 'button';
      button.className = 'plain';
      button.addEventListener('click', () => this.scene && onChoose(preset.changes(this.scene, this.largestError)));
      row.append(button);
      this.buttons.push([button, preset]);
    }
    parent.append(row);
  }

  show(settings: Settings, scene: Settings, largestError: number): void {
    this.scene = scene;
    this.largestError = largestError;
    for (const [button, preset] of this.buttons) {
      const wanted = Object.entries(preset.changes(scene, largestError)) as [keyof Settings, number][];
      const pressed = wanted.every(([key, value]) => Math.abs(Number(settings[key]) - value) < 1e-9);
      button.setAttribute('aria-pressed', String(pressed));
    }
  }
}

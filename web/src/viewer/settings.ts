// SPDX-License-Identifier: MIT
// What can be changed while it runs: sliders and choices, how they become numbers of the scene, and
// the way back to what was before.

import { AccuracySlider, rangeOf } from './accuracy';
import { element, textElement } from './dom';
import { INTEGRATOR } from './protocol';
import type { Opened } from './protocol';
import { PRESETS, PresetRow } from './presets';
import { SolverRows } from './solvers';

export interface Settings {
  gravity: number;
  tilt: number;
  turn: number;
  wind: number;
  windTurn: number;
  gust: number;
  turbulence: number;
  stiffness: number;
  damping: number;
  /** What is allowed, in the unit of accuracy.ts; 0: all is exact. */
  error: number;
  step: number;
  integrator: number;
  /** Of the objects, one after the other, with a space between. */
  solvers: string;
}

export type Key = keyof Settings;
type NumberKey = Exclude<Key, 'solvers' | 'error'>;

interface Slider {
  key: NumberKey;
  label: string;
  unit: string;
  low: number;
  high: number;
  /** The slider moves in equal ratios. */
  ratio?: boolean;
  digits: number;
}

interface Choice {
  key: NumberKey;
  label: string;
  options: [value: number, label: string][];
}

export const SLIDERS: Record<string, Slider[]> = {
  Gravity: [
    { key: 'gravity', label: 'Strength', unit: 'm/s²', low: 0, high: 30, digits: 1 },
    { key: 'tilt', label: 'Tilt', unit: '°', low: 0, high: 180, digits: 0 },
    { key: 'turn', label: 'Tilted towards', unit: '°', low: -180, high: 180, digits: 0 },
  ],
  Wind: [
    { key: 'wind', label: 'Speed', unit: 'm/s', low: 0, high: 25, digits: 1 },
    { key: 'windTurn', label: 'Towards', unit: '°', low: -180, high: 180, digits: 0 },
    { key: 'gust', label: 'Gusts', unit: '', low: 0, high: 1, digits: 2 },
    { key: 'turbulence', label: 'Turbulence', unit: '', low: 0, high: 1, digits: 2 },
  ],
  Plant: [
    { key: 'stiffness', label: 'Stiffness', unit: '×', low: 0.01, high: 20, ratio: true, digits: 2 },
    { key: 'damping', label: 'Damping', unit: '×', low: 0.01, high: 20, ratio: true, digits: 2 },
  ],
};

export const CHOICES: Choice[] = [
  {
    key: 'step',
    label: 'Time step',
    options: [30, 60, 120, 240, 480, 960, 3840, 15360].map((n) => [1 / n, `1/${n} s`]),
  },
  {
    key: 'integrator',
    label: 'Integrator',
    options: [
      [INTEGRATOR.implicit, 'implicit (BDF2)'], [INTEGRATOR.implicitEuler, 'implicit Euler'],
      [INTEGRATOR.euler, 'symplectic Euler'], [INTEGRATOR.rk4, 'Runge-Kutta 4'],
      [INTEGRATOR.adaptive, 'adaptive (explicit)'],
    ],
  },
];

const DEGREE = Math.PI / 180;

/** Settings as a scene has them at its start. */
export function settingsOf({ values, wind, integrator, solvers, state }: Opened): Settings {
  const [gx, gy, gz] = ['x', 'y', 'z'].map((axis) => values[`gravity.${axis}`]);
  const air = (figure: string): number => (wind < 0 ? 0 : values[`loads[${wind}].wind.${figure}`]);
  const level = Math.hypot(gx, gz);
  const errors = solvers.map((_, k) => values[`objects[${k}].adapt.error`]);
  return {
    gravity: Math.hypot(gx, gy, gz),
    tilt: level === 0 && gy <= 0 ? 0 : Math.atan2(level, -gy) / DEGREE,
    turn: level === 0 ? 0 : Math.atan2(-gz, gx) / DEGREE,
    wind: Math.hypot(air('velocity.x'), air('velocity.z')),
    windTurn: air('velocity.x') === 0 && air('velocity.z') === 0
      ? 0 : Math.atan2(-air('velocity.z'), air('velocity.x')) / DEGREE,
    gust: air('gust'),
    turbulence: air('intensity'),
    stiffness: 1,
    damping: 1,
    error: Math.max(0, ...errors),
    step: state.dt,
    integrator,
    solvers: solvers.join(' '),
  };
}

/** The numbers of the scene that follow from the settings whose keys are given. */
export function valuesOf(settings: Settings, keys: Iterable<Key>, opened: Opened): Record<string, number> {
  const changed = new Set(keys);
  const values: Record<string, number> = {};
  const { gravity, tilt, turn, wind, windTurn } = settings;
  if (changed.has('gravity') || changed.has('tilt') || changed.has('turn')) {
    const level = gravity * Math.sin(tilt * DEGREE);
    values['gravity.x'] = level * Math.cos(turn * DEGREE);
    values['gravity.y'] = -gravity * Math.cos(tilt * DEGREE);
    values['gravity.z'] = -level * Math.sin(turn * DEGREE);
  }
  if (opened.wind >= 0) {
    const path = `loads[${opened.wind}].wind`;
    if (changed.has('wind') || changed.has('windTurn')) {
      values[`${path}.velocity.x`] = wind * Math.cos(windTurn * DEGREE);
      values[`${path}.velocity.z`] = -wind * Math.sin(windTurn * DEGREE);
    }
    if (changed.has('gust')) {
      values[`${path}.gust`] = settings.gust;
    }
    if (changed.has('turbulence')) {
      values[`${path}.intensity`] = settings.turbulence;
    }
  }
  for (const key of ['stiffness', 'damping'] as const) {
    for (let k = 0; k < opened.objects.length && changed.has(key); k++) {
      const path = `objects[${k}].${key}`;
      values[path] = settings[key] * opened.values[path];
    }
  }
  const range = rangeOf(opened, settings.integrator, settings.solvers.split(' '));
  if (changed.has('error') && typeof range !== 'string') {
    range.paths.forEach((path) => (values[path] = settings.error));
  }
  if (changed.has('step')) {
    values.step = settings.step;
  }
  return values;
}

// ---- controls -----------------------------------------------------------------------------------

interface Control {
  show(value: number): void;
  /** Of a choice: which values there are. */
  allow?(allowed: (value: number) => boolean): void;
}

/** What a change comes to; resolved when it has come into force. Gets the keys that have changed. */
type Apply = (keys: Key[]) => Promise<void>;
/** What differed from the scene before a change. */
type Remember = (changes: Partial<Settings>) => void;

/** The controls, and what was set before. */
export class SettingsPanel {
  settings: Settings | null = null;
  private initial: Settings | null = null;
  private readonly controls = new Map<NumberKey, Control>();
  private readonly solverRows: SolverRows;
  private readonly accuracy: AccuracySlider;
  private readonly presets: PresetRow[] = [];
  private opened: Opened | null = null;
  private readonly apply: Apply;
  private readonly remember: Remember;
  private sliding: Partial<Settings> | null = null;

  constructor(parent: HTMLElement, apply: Apply, remember: Remember) {
    this.apply = apply;
    this.remember = remember;
    for (const [title, sliders] of Object.entries(SLIDERS)) {
      const group = this.group(parent, title);
      sliders.forEach((slider) => this.controls.set(slider.key, this.addSlider(group, slider)));
    }
    this.accuracy = new AccuracySlider(
      this.group(parent, 'Accuracy'), (error) => this.slide('error', error), () => this.endSlide());
    const group = this.group(parent, 'Time');
    CHOICES.forEach((choice) => this.controls.set(choice.key, this.addChoice(group, choice)));
    this.solverRows = new SolverRows(group, (solvers) => void this.set({ solvers }));
  }

  private group(parent: HTMLElement, title: string): HTMLElement {
    const group = element('fieldset');
    group.append(textElement('legend', title));
    parent.append(group);
    if (title in PRESETS) {
      this.presets.push(new PresetRow(group, PRESETS[title], (changes) => void this.set(changes)));
    }
    return group;
  }

  /** Of a new world. */
  begin(opened: Opened): void {
    const initial = settingsOf(opened);
    this.initial = initial;
    this.opened = opened;
    this.solverRows.begin(opened);
    this.settings = { ...initial };
    this.sliding = null;
    this.showAll();
  }

  /** Keys that differ from what the scene says. */
  changedKeys(): Key[] {
    const { settings, initial } = this;
    return settings && initial ? (Object.keys(settings) as Key[]).filter((key) => settings[key] !== initial[key]) : [];
  }

  changes(): Partial<Settings> {
    return Object.fromEntries(this.changedKeys().map((key) => [key, this.settings![key]]));
  }

  /** One change, which can be undone. */
  async set(changes: Partial<Settings>): Promise<void> {
    if (this.settings) {
      this.remember(this.changes());
      await this.become({ ...this.changes(), ...changes });
    }
  }

  /** Forgets a change that was refused. */
  takeBack(changes: Partial<Settings>): void {
    this.settings = { ...this.initial!, ...changes };
    this.showAll();
  }

  /** From now on just this differs from what the scene says. */
  become(changes: Partial<Settings>): Promise<void> {
    const before = this.settings!;
    const next = { ...this.initial!, ...changes };
    this.settings = next;
    this.showAll();
    return this.apply((Object.keys(next) as Key[]).filter((key) => next[key] !== before[key]));
  }

  // while a slider moves the plant follows; what can be undone is the whole move
  private slide(key: NumberKey | 'error', value: number): void {
    if (this.settings) {
      this.sliding ??= this.changes();
      this.settings = { ...this.settings, [key]: value };
      void this.apply([key]);
    }
  }

  private endSlide(): void {
    if (this.sliding) {
      this.remember(this.sliding);
      this.sliding = null;
      this.showPresets();
    }
  }

  private showAll(): void {
    const { settings } = this;
    if (settings) {
      this.controls.forEach((control, key) => control.show(settings[key]));
      this.solverRows.show(settings.solvers);
      this.showAllowed(settings);
    }
  }

  // what the solvers of the objects have
  private showAllowed({ solvers, integrator, error }: Settings): void {
    const opened = this.opened!;
    const names = solvers.split(' ');
    const has = names.reduce((bits, name) => bits | opened.integrators[opened.knownSolvers.indexOf(name)], 0);
    this.controls.get('integrator')!.allow!((value) => (has >> value & 1) === 1);
    this.accuracy.show(error, rangeOf(opened, integrator, names));
    this.showPresets();
  }

  private showPresets(): void {
    const { settings, initial } = this;
    const range = rangeOf(this.opened!, settings!.integrator, settings!.solvers.split(' '));
    this.presets.forEach((row) => row.show(settings!, initial!, typeof range === 'string' ? 0 : range.largest));
  }

  private addSlider(parent: HTMLElement, slider: Slider): Control {
    const { key, label, unit, low, high, ratio, digits } = slider;
    const row = element('label', 'slider');
    const input = element('input');
    const output = element('output');
    const inner = (value: number): number => (ratio ? Math.log10(Math.max(value, 1e-9)) : value);
    input.type = 'range';
    input.id = `set-${key}`;
    input.min = String(inner(low));
    input.max = String(inner(high));
    input.step = 'any';
    const tell = (value: number): void => {
      output.textContent = `${value.toFixed(digits)}${unit === '°' ? '' : ' '}${unit}`;
    };
    const read = (): number => {
      const value = ratio ? 10 ** Number(input.value) : Number(input.value);
      return Number(value.toPrecision(4));
    };
    input.addEventListener('input', () => {
      tell(read());
      this.slide(key, read());
    });
    input.addEventListener('change', () => this.endSlide());
    row.append(textElement('span', label), input, output);
    parent.append(row);
    return {
      show: (value) => {
        input.value = String(inner(value));
        tell(value);
      },
    };
  }

  private addChoice(parent: HTMLElement, { key, label, options }: Choice): Control {
    const row = element('label', 'choice');
    const select = element('select');
    select.id = `set-${key}`;
    options.forEach(([value, name]) => select.append(new Option(name, String(value))));
    select.addEventListener('change', () => void this.set({ [key]: Number(select.value) }));
    row.append(textElement('span', label), select);
    parent.append(row);
    return {
      show: (value) => {
        const near = options.reduce((best, [option]) =>
          (Math.abs(option - value) < Math.abs(best - value) ? option : best), options[0][0]);
        select.value = String(near);
      },
      allow: (allowed) => {
        [...select.options].forEach((option) => (option.disabled = option.hidden = !allowed(Number(option.value))));
      },
    };
  }
}

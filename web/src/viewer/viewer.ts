// SPDX-License-Identifier: MIT
// The viewer: a stage with a plant that is simulated while one looks, pulls and changes. The
// simulation runs in a worker, and does what it can within the time of a picture; when that is not
// enough, time slows down, and the page says so.

import { Vector3 } from 'three';
import { loadMoving } from '../moving';
import type { Moving } from '../moving';
import { CameraWeights } from './camera-weights';
import { Clock } from './clock';
import { Detail } from './detail';
import { byId } from './dom';
import { Editor } from './editor';
import { Gallery } from './gallery';
import { Hand } from './hand';
import type { Hold } from './hand';
import { History } from './history';
import { baseName, isModel, makeSource } from './library';
import type { Item, Library, Shown } from './library';
import { LiveText } from './live-text';
import { MotionFrame } from './motion-frame';
import { sayFault, sayNote, speakAgain } from './notices';
import { Overlays } from './overlays';
import type { Overlay } from './overlays';
import { OwnFiles } from './own';
import { Picture } from './picture';
import { BREEZE } from './presets';
import { Pot } from './pot';
import type { Opened, Saved, State } from './protocol';
import { Readings } from './readings';
import { SceneEditor } from './scene-edit';
import { SceneHandle } from './scene-handle';
import { SettingsPanel, valuesOf } from './settings';
import type { Key, Settings } from './settings';
import { isRefused } from './simulation';
import type { Simulation } from './simulation';
import { DefineSliders } from './sliders';
import { Tabs } from './tabs';
import { Texts } from './texts';
import { LiveWorld } from './world';

const LEAST_BUDGET = 14; // ms of simulation for a picture
const BUDGET_SHARE = 800; // ms of simulation for each second of pictures
const PLOTS_EVERY = 0.1; // s
const ROOM = 1.15; // around what bends

/** How something is to be when it has been opened. */
interface Wish {
  changes?: Partial<Settings>;
  keepView?: boolean;
  /** It is what was there, changed: the way back stays. */
  again?: boolean;
  saved?: Saved;
}

export class Viewer {
  readonly library: Library;
  readonly simulation: Simulation;
  readonly clock = new Clock();
  readonly picture = new Picture();
  readonly history = new History();
  readonly texts = new Texts(this);
  private readonly frame = new MotionFrame(this.picture);
  readonly pot: Pot;
  readonly hand: Hand;
  readonly overlays: Overlays;
  readonly settings: SettingsPanel;
  readonly own: OwnFiles;
  readonly editor: Editor;
  readonly readings: Readings;
  readonly scene: SceneEditor;
  readonly sliders: DefineSliders;
  private readonly handle: SceneHandle;
  world: LiveWorld | null = null;
  run: { model: Moving; time: number } | null = null;
  shown: Shown = { item: null, file: '', edited: {} };
  /** How many things are being opened. */
  opening = 0;
  private readonly gallery: Gallery;
  private readonly tabs: Tabs;
  /** The worker has been asked to go on, and has not answered. */
  busy = false;
  private plotsDue = 0;
  readonly cameraWeights: CameraWeights;
  readonly detail: Detail;

  constructor(library: Library, simulation: Simulation) {
    this.library = library;
    this.simulation = simulation;
    this.cameraWeights = new CameraWeights(simulation);
    this.detail = new Detail(simulation, this.picture);
    this.own = new OwnFiles(library);
    this.pot = new Pot(simulation, this.picture, () => this.world && { world: this.world, actor: this.pickedActor });
    const { canvas, stage } = this.picture;
    this.overlays = new Overlays(stage.scene);
    this.hand = new Hand(canvas, stage.camera, stage.scene, {
      grab: (hold) => this.grab(hold),
      move: (hold) => this.moveHold(hold),
      release: () => void this.ask(() => this.simulation.ask({ do: 'release' })),
      pick: (segment) => this.pick(segment),
    });
    this.history.onChange(() => this.showHistory());
    this.settings = new SettingsPanel(
      byId('forces'), (keys) => this.applySettings(keys),
      (changes) => this.history.remember({ shown: this.shown, changes }));
    this.editor = new Editor({
      check: (file, text) => this.texts.check(file, text),
      grow: (file, text) => void this.texts.growTyped(file, text),
      typed: (file, text) => this.texts.onTyped(file, text),
    });
    this.sliders = new DefineSliders(byId('shape'), new LiveText(this));
    this.scene = new SceneEditor(byId('scene'), this, new LiveText(this));
    this.handle = new SceneHandle(this, this.scene);
    this.gallery = new Gallery(byId('gallery'), library, (item) => void this.chooseItem(item));
    this.readings = new Readings(byId('plots'));
    this.tabs = new Tabs(byId('tabs'), () => this.showPanel());
    this.own.onChange = () => this.showOwn();
  }

  start(): void {
    this.clock.setPlaying(!matchMedia('(prefers-reduced-motion: reduce)').matches);
    requestAnimationFrame((time) => this.onFrame(time));
  }

  /** When there is something to see. */
  fillGallery(): void {
    this.picture.afterFirst(() => {
      this.gallery.fill();
      this.showOwn();
    });
  }

  get shortName(): string {
    return (this.shown.item?.name ?? baseName(this.shown.file).replace(/\.\w+$/, '')) || 'tendril';
  }

  // ---- opening ------------------------------------------------------------------------------------

  /** As it came. */
  openItem(item: Item, changes: Partial<Settings> = {}): Promise<boolean> {
    return this.open({ item, file: item.file, edited: this.own.textsOf(item) }, { changes });
  }

  /**
   * A person has chosen it: it is as it was left. A plant by itself stands in a breeze, so that it
   * moves; scenes are as they say.
   */
  async chooseItem(item: Item, changes: Partial<Settings> = isModel(item.file) ? BREEZE : {}): Promise<boolean> {
    const shown = { item, file: item.file, edited: this.own.writtenOf(item) };
    const draft = this.own.draftOf(item);
    const opened = await this.open(shown, { changes }) || (this.own.isEdited(item) && await this.openItem(item, changes));
    if (!opened && this.own.owns(item)) {
      this.showRefused(shown);
    }
    if (draft) {
      this.editor.setDraft(draft.file, draft.text);
    }
    if (opened && this.own.owns(item)) {
      this.own.setPicture(item, this.picture.small());
      this.showOwn();
    }
    return opened;
  }

  // the text of what cannot grow, so that it can be mended; the picture stays as it is
  private showRefused(shown: Shown): void {
    const { faults } = this.editor;
    this.shown = shown;
    this.history.begin();
    this.texts.show();
    this.editor.setFaults(faults);
    this.gallery.show(shown.item!.name);
    this.tabs.show('write');
  }

  /** The page as it came. */
  async forgetOwn(): Promise<void> {
    const { item } = this.shown;
    this.own.forgetAll();
    await this.chooseItem(this.own.find(item?.name) ?? this.library.items[0]);
  }

  /** True when the worker has it; else what was there goes on. */
  async open(shown: Shown, { changes = {}, keepView = false, again = false, saved }: Wish = {}): Promise<boolean> {
    this.opening++;
    try {
      const source = makeSource(shown.file, this.texts.all(shown.edited));
      const ahead = this.picture.drawing && !keepView && !isModel(shown.file);
      const opened = await this.simulation.ask({ do: 'open', source, ahead });
      this.shown = shown;
      this.showWorld(opened, keepView);
      this.settings.begin(opened);
      if (!again) {
        speakAgain();
        this.texts.begin();
      }
      this.sliders.show(this.texts.show());
      void this.scene.show();
      this.showTitle(opened.name, opened.text);
      this.gallery.show(shown.item?.name ?? null);
      this.showOwn();
      sayFault('');
      const fitting = fittingTo(opened, changes);
      if (Object.keys(fitting).length > 0) {
        await this.settings.become(fitting);
      }
      if (saved) {
        await this.restore(saved);
      }
      return true;
    } catch (error) {
      await this.onRefused(error as Error);
      return false;
    } finally {
      this.opening--;
    }
  }

  private async restore(saved: Saved): Promise<void> {
    const state = await this.ask(() => this.simulation.ask({ do: 'restore', saved }));
    if (state) {
      this.take(state);
    } else {
      sayNote('The motion in this link was made by another version of this page: the plant starts at rest.');
    }
  }

  /** The same scene with the solvers that are chosen now, from the start. */
  private async remake(): Promise<void> {
    const { settings } = this.settings;
    this.opening++;
    try {
      const source = makeSource(this.shown.file, this.texts.all());
      const solvers = settings!.solvers.split(' ');
      this.showWorld(await this.simulation.ask({ do: 'open', source, solvers }), true);
      await this.sendSettings(this.settings.changedKeys());
    } catch (error) {
      this.settings.takeBack(this.history.takeBack()?.changes ?? {});
      await this.onRefused(error as Error);
    } finally {
      this.opening--;
    }
  }

  async reset(): Promise<void> {
    if (this.run) {
      this.run.time = 0;
    } else if (this.world) {
      await this.open(this.shown, { changes: this.settings.changes(), keepView: true, again: true });
    }
  }

  async openRun(name: string, bytes: ArrayBuffer): Promise<void> {
    try {
      const model = await loadMoving(name, bytes);
      this.hand.setWorld(null);
      this.overlays.setWorld(null);
      this.world = null;
      this.shown = { item: null, file: name, edited: {} };
      this.run = { model, time: 0 };
      model.showContacts(this.overlays.on.has('contacts'));
      this.picture.show(model, model, 1);
      this.picture.frameAgain(0);
      this.gallery.show(null);
      this.showTitle(name, '');
      sayFault('');
    } catch (error) {
      sayFault(`${name}: ${(error as Error).message}`);
    }
  }

  /** A file that was made here joins the gallery. */
  addOwn(shown: Shown): void {
    this.own.add(shown.edited);
    this.shown = { ...shown, item: this.own.items.find(({ file }) => file === shown.file) ?? null };
    this.gallery.show(this.shown.item?.name ?? null);
  }

  private showWorld(opened: Opened, keepView: boolean): void {
    const world = new LiveWorld(opened);
    const fresh = this.picture.empty || !keepView;
    this.hand.setWorld(world);
    this.overlays.setWorld(world);
    this.run = null;
    this.world = world;
    this.pot.begin();
    this.cameraWeights.begin();
    this.detail.begin(world);
    this.picture.show(world.model, world.swept, ROOM);
    this.frame.begin(this.shown.file, world);
    this.clock.begin();
    this.readings.begin(world);
    if (fresh) {
      this.picture.frameAgain(0);
    }
    this.picture.drawFirst();
    this.take(world.state);
    this.showFigures();
  }

  private showTitle(name: string, text: string): void {
    const { item } = this.shown;
    const title = item?.title ?? (name || this.shortName);
    byId('title').textContent = title;
    const told = text || item?.text || '';
    byId('text').textContent = told === `${title}.` ? '' : told;
    document.title = `${title} · Tendril`;
  }

  // what was there goes on; unless the worker is gone, which takes its world along
  private async onRefused(error: Error): Promise<void> {
    if (isRefused(error)) {
      const [fault] = error.faults;
      const place = fault.line > 0 ? `${baseName(fault.file)}:${fault.line}:${fault.column}: ` : '';
      sayFault(place + fault.text);
      this.editor.setFaults(error.faults);
      return;
    }
    sayFault(error.message);
    if (this.world) {
      const source = makeSource(this.shown.file, this.texts.all());
      await this.ask(() => this.simulation.ask({ do: 'open', source }));
    }
  }

  // ---- hand ---------------------------------------------------------------------------------------

  /** Requests about a world that may be gone by now: a refusal needs no word. */
  private async ask<T>(request: () => Promise<T>): Promise<T | null> {
    try {
      return await request();
    } catch {
      return null;
    }
  }

  private pick(segment: number): void {
    if (this.world) {
      this.readings.pick(this.world, segment);
      this.hand.markPicked(segment);
      this.picture.touched();
    }
  }

  private grab(hold: Hold): void {
    const { actors } = this.world!.opened;
    const { stiffness } = hold;
    if (!hold.twisting) {
      const segment = hold.segment - actors[hold.actor].first;
      void this.ask(() => this.simulation.ask(
        { do: 'grab', actor: hold.actor, segment, point: plain(hold.point), to: plain(hold.to), stiffness }));
    }
    this.picture.touched();
  }

  private moveHold(hold: Hold): void {
    const { first } = this.world!.opened.actors[hold.actor];
    void this.ask(() => (hold.twisting
      ? this.simulation.ask({ do: 'twist', actor: hold.actor, segment: hold.segment - first, torque: hold.torque })
      : this.simulation.ask({ do: 'grabTo', to: plain(hold.to) })));
    this.picture.touched();
  }

  private get pickedActor(): number {
    return this.readings.picked >= 0 ? this.world!.actorOf(this.readings.picked) : 0;
  }

  // ---- settings -----------------------------------------------------------------------------------

  private async applySettings(keys: Key[]): Promise<void> {
    if (this.world && keys.length > 0) {
      await (keys.includes('solvers') ? this.remake() : this.sendSettings(keys));
    }
  }

  private async sendSettings(keys: Key[]): Promise<void> {
    const settings = this.settings.settings!;
    const values = valuesOf(settings, keys, this.world!.opened);
    const integrator = keys.includes('integrator') ? settings.integrator : undefined;
    const refused = await this.ask(() => this.simulation.ask({ do: 'set', values, integrator }));
    sayFault(refused?.[0] ?? '');
    this.picture.touched();
  }

  private showOwn(): void {
    const { own } = this;
    this.gallery.setOwn(own.items, (item) => own.pictureOf(item), (item) => own.isEdited(item));
    const { files, edits } = own.count;
    byId('forget').hidden = files + edits === 0;
    byId('original').hidden = !this.shown.item || !own.isEdited(this.shown.item);
  }

  private showHistory(): void {
    byId<HTMLButtonElement>('undo').disabled = !this.history.canUndo;
  }

  showOverlays(overlays: Iterable<Overlay>): void {
    this.overlays.on.clear();
    for (const overlay of overlays) {
      this.overlays.on.add(overlay);
    }
    const contacts = this.overlays.on.has('contacts');
    byId('contacts').setAttribute('aria-pressed', String(contacts));
    this.run?.model.showContacts(contacts);
    this.picture.touched();
    // moments, contacts and wind come with the next answer of the worker
    void this.advance(0, 0, 0);
  }

  // ---- time ---------------------------------------------------------------------------------------

  singleStep(): void {
    this.clock.setPlaying(false);
    void this.advance(0, 1, LEAST_BUDGET);
  }

  /** Lets the worker go on; true when it did, and nothing failed. */
  async advance(seconds: number, steps: number | undefined, budget: number): Promise<boolean> {
    const { world } = this;
    if (!world || this.opening > 0) {
      return false;
    }
    const wind = this.overlays.windPoints();
    const moments = this.overlays.on.has('moment');
    const clusters = this.overlays.on.has('clusters');
    const contacts = this.overlays.on.has('contacts');
    const skeleton = this.overlays.on.has('skeleton');
    const state: State | string = await this.simulation
      .ask({ do: 'advance', seconds, steps, budget, moments, clusters, contacts, skeleton, wind })
      .catch((problem: Error) => problem.message);
    if (world !== this.world) {
      return false;
    }
    const fault = typeof state === 'string' ? state : state.fault;
    if (typeof state !== 'string') {
      this.take(state, wind);
    }
    if (fault !== undefined) {
      this.clock.setPlaying(false);
      sayFault(`${fault}. Reset to start again.`);
    }
    return fault === undefined;
  }

  private take(state: State, wind?: Float64Array): void {
    const world = this.world!;
    world.setState(state);
    this.overlays.update(state, wind);
    this.readings.add(world, state);
    this.pot.follow(world, this.pickedActor);
    if (!this.hand.hold && !this.pot.driven) {
      this.frame.take(world);
    }
    this.clock.show(state.time);
    this.picture.changed();
  }

  private async simulate(dt: number): Promise<void> {
    this.busy = true;
    const before = this.world!.state.time;
    await this.advance(this.clock.takeDue(), undefined, Math.max(LEAST_BUDGET, BUDGET_SHARE * dt));
    this.busy = false;
    if (this.world) {
      this.clock.passed(this.world.state.time - before, this.world.state.milliseconds / 1000);
    }
  }

  private playRun(run: { model: Moving; time: number }, dt: number): void {
    const { seconds } = run.model;
    run.time = seconds > 0 ? (run.time + dt * this.clock.speed) % seconds : 0;
    run.model.setTime(run.time);
    this.clock.show(run.time);
    this.picture.changed();
  }

  // ---- pictures -----------------------------------------------------------------------------------

  private onFrame(milliseconds: number): void {
    const time = milliseconds / 1000;
    const dt = this.clock.tick(time, this.world !== null);
    if (this.clock.playing && this.world && !this.busy && this.opening === 0) {
      void this.simulate(dt);
    }
    if (this.clock.playing && this.run) {
      this.playRun(this.run, dt);
    }
    this.handle.update(this.tabs.shown === 'scene' && this.world !== null);
    if (this.hand.update()) {
      this.picture.touched();
    }
    this.detail.update(this.clock.playing);
    this.picture.onFrame(time, dt);
    if (this.world && this.opening === 0) {
      void this.cameraWeights.tell(this.world.opened, this.picture);
    }
    this.plotsDue += dt;
    if (this.plotsDue > PLOTS_EVERY) {
      this.plotsDue = 0;
      this.drawPlots();
      this.showFigures();
      this.scene.tick();
    }
    requestAnimationFrame((next) => this.onFrame(next));
  }

  private showPanel(): void {
    this.drawPlots();
    this.editor.shown();
  }

  private drawPlots(): void {
    if (this.tabs?.shown === 'show') {
      this.readings.drawPlots();
    }
  }

  private showFigures(): void {
    this.readings.showFigures(this.world, this.clock.playing ? this.clock.factor : null);
  }
}

// a text that was changed may have fewer objects than there are solvers
function fittingTo({ objects }: Opened, { solvers, ...changes }: Partial<Settings>): Partial<Settings> {
  return solvers?.split(' ').length === objects.length ? { ...changes, solvers } : changes;
}

function plain({ x, y, z }: Vector3): { x: number; y: number; z: number } {
  return { x, y, z };
}

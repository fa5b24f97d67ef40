// SPDX-License-Identifier: MIT
// The viewer: a stage with a plant that is simulated while one looks, pulls and changes. The
// simulation runs in a worker, and does what it can within the time of a picture; when that is not
// enough, time slows down, and the page says so.

import { Vector3 } from 'three';
import { bestView } from '../framing';
import type { View } from '../framing';
import { loadMoving } from '../moving';
import type { Moving } from '../moving';
import { CameraRig } from '../orbit';
import { PAGE_OPTIONS, Stage } from '../scene';
import { Editor } from './editor';
import { Gallery } from './gallery';
import { Hand } from './hand';
import type { Hold } from './hand';
import { baseName, editable, isModel, makeSource, normal, readBytes, readText } from './library';
import type { Given, Item, Library } from './library';
import { OVERLAYS, Overlays } from './overlays';
import type { Overlay } from './overlays';
import { LivePlot } from './plots';
import type { Fault, State } from './protocol';
import { Video, download } from './save';
import { SettingsPanel, settingsOf, valuesOf } from './settings';
import type { Key, Settings } from './settings';
import { fromHash, toHash } from './share';
import type { Shared } from './share';
import { Refused, Simulation } from './simulation';
import type { ViewerState } from './state';
import { Tabs } from './tabs';
import { LiveWorld } from './world';

const GREATEST_PIXEL_RATIO = 2;
const LONGEST_FRAME = 0.25; // s: after a pause of the browser the clock goes on, it does not leap
const LEAST_BUDGET = 14; // ms of simulation for a picture
const SLOW = 0.8; // of the wanted speed: below this the page says that time has slowed
const PLOTS_EVERY = 0.1; // s
const SLOW_PICTURE = 0.05; // s: above, shadows are drawn in every fourth picture only,
const SLUGGISH_PICTURE = 0.15; // s: and above this when nothing moves
const STILL_AFTER = 0.5; // s without motion: then shadows are drawn once more, and well

/** What is grown: a file of the library or of a visitor, and texts that were changed. */
interface Shown {
  item: Item | null;
  file: string;
  edited: Record<string, string>;
}

class Viewer {
  private readonly library: Library;
  private readonly simulation: Simulation;
  private readonly canvas = byId<HTMLCanvasElement>('view');
  private readonly stage = new Stage(this.canvas, { ...PAGE_OPTIONS, hurried: true });
  private readonly rig = new CameraRig(this.stage.camera, this.canvas, () => (this.turned = true));
  private readonly hand: Hand;
  private readonly overlays = new Overlays(this.stage.scene);
  private readonly settings: SettingsPanel;
  private readonly editor: Editor;
  private readonly gallery: Gallery;
  private readonly tabs: Tabs;
  private readonly video = new Video(this.canvas);
  private readonly energy: LivePlot;
  private readonly motion: LivePlot;

  private world: LiveWorld | null = null;
  private run: { model: Moving; time: number } | null = null;
  private shown: Shown = { item: null, file: '', edited: {} };
  private playing = true;
  private opening = 0;
  private busy = false;
  private due = 0;
  private picked = -1;
  private restPlace = new Vector3();
  private followed = new Vector3();
  private driving = false;
  private readonly keys = new Set<string>();
  /** The camera stands where somebody has put it. */
  private turned = false;

  private frames = 0;
  private drawing = true;
  private dirty = true;
  private moved = false;
  private stillFor = 0;
  private lastTime = -1;
  private pictureSeconds = 0.02;
  private plotsDue = 0;
  private pace = { simulated: 0, real: 0, factor: 1 };
  private stepMilliseconds = 0;
  private iterations = 0;

  constructor(library: Library, simulation: Simulation) {
    this.library = library;
    this.simulation = simulation;
    this.hand = new Hand(this.canvas, this.stage.camera, this.stage.scene, {
      grab: (hold, stiffness) => this.grab(hold, stiffness),
      move: (hold) => this.moveHold(hold),
      release: () => void this.ask(() => this.simulation.ask({ do: 'release' })),
      pick: (segment) => this.pick(segment),
    });
    this.settings = new SettingsPanel(
      byId('forces'), (keys) => void this.applySettings(keys), () => this.showHistory());
    this.editor = new Editor({
      check: (file, text) => this.check(file, text),
      grow: (file, text) => void this.regrow(file, text),
    });
    this.gallery = new Gallery(byId('plants'), library.items, (item) => void this.openItem(item));
    this.tabs = new Tabs(byId('tabs'), () => this.drawPlots());
    this.energy = new LivePlot(byId('plots'), 'Energy', 'J', [
      { name: 'kinetic', color: '--line-0' },
      { name: 'elastic', color: '--line-1' },
      { name: 'weight', color: '--line-2' },
    ]);
    this.motion = new LivePlot(byId('plots'), 'Picked segment, from its place at the start', 'm', [
      { name: 'x', color: '--line-0' },
      { name: 'y', color: '--line-1' },
      { name: 'z', color: '--line-2' },
    ]);
  }

  start(): void {
    window.tendrilViewer = this.makeState();
    this.listen();
    this.resize();
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.setPlaying(!matchMedia('(prefers-reduced-motion: reduce)').matches);
    requestAnimationFrame((time) => this.onFrame(time));
  }

  // ---- opening ------------------------------------------------------------------------------------

  async openItem(item: Item): Promise<void> {
    await this.open({ item, file: item.file, edited: {} });
  }

  /** A file of its own, with those that it needs. */
  async openGiven({ file, files }: Given): Promise<void> {
    const edited = Object.fromEntries(Object.entries(files).map(([name, text]) => [normal(name), text]));
    await this.open({ item: null, file: normal(file), edited });
  }

  /** Texts of the library, and those that have taken their place. */
  private files(edited: Record<string, string>): Record<string, string> {
    return { ...this.library.files, ...edited };
  }

  /** True when the worker has it; else what was there goes on. */
  private async open(shown: Shown, changes: Partial<Settings> = {}, keepView = false): Promise<boolean> {
    this.opening++;
    try {
      const files = this.files(shown.edited);
      const opened = await this.simulation.ask({ do: 'open', source: makeSource(shown.file, files) });
      this.shown = shown;
      this.showWorld(new LiveWorld(opened), keepView);
      this.settings.begin(settingsOf(opened));
      this.editor.setFiles(editable(shown.file, files));
      this.showTitle(opened.name, opened.text);
      this.gallery.show(shown.item?.name ?? null);
      this.say('');
      if (Object.keys(changes).length > 0) {
        await this.setSettings(changes);
      }
      return true;
    } catch (error) {
      await this.onRefused(error as Error);
      return false;
    } finally {
      this.opening--;
    }
  }

  private showTitle(name: string, text: string): void {
    const { item } = this.shown;
    const title = item?.title ?? (name || this.shortName);
    byId('title').textContent = title;
    byId('text').textContent = text || item?.text || '';
    document.title = `${title} · Tendril`;
  }

  private showWorld(world: LiveWorld, keepView: boolean): void {
    const before = this.stage.model;
    this.hand.setWorld(world);
    this.overlays.setWorld(world);
    this.run = null;
    this.world = world;
    if (before && this.drawing) {
      this.stage.remove(before);
    }
    if (this.drawing) {
      this.stage.show(world.model);
    }
    this.followed.set(0, 0, 0);
    this.driving = false;
    this.pace = { simulated: 0, real: 0, factor: 1 };
    this.stepMilliseconds = 0;
    this.energy.clear();
    this.pick(world.highest());
    if (!keepView || !before) {
      this.frameAgain(0);
    }
    this.take(world.state);
    this.showFigures();
  }

  // what was there goes on; unless the worker is gone, which takes its world along
  private async onRefused(error: Error): Promise<void> {
    if (error instanceof Refused) {
      const [fault] = error.faults;
      const place = fault.line > 0 ? `${baseName(fault.file)}:${fault.line}:${fault.column}: ` : '';
      this.say(place + fault.text);
      this.editor.setFaults(error.faults);
      return;
    }
    this.say(error.message);
    if (this.world) {
      const { file, edited } = this.shown;
      const source = makeSource(file, this.files(edited));
      await this.ask(() => this.simulation.ask({ do: 'open', source }));
    }
  }

  private async regrow(file: string, text: string): Promise<void> {
    const edited = { ...this.shown.edited, [file]: text };
    await this.open({ ...this.shown, edited }, this.settings.changes(), true);
  }

  private async check(file: string, text: string): Promise<Fault[]> {
    if (!isModel(file)) {
      return [];
    }
    try {
      return await this.simulation.ask({ do: 'check', file, text, files: this.files(this.shown.edited) });
    } catch (error) {
      return error instanceof Refused ? error.faults : [];
    }
  }

  private async reset(): Promise<void> {
    if (this.run) {
      this.run.time = 0;
    } else if (this.world) {
      await this.open(this.shown, this.settings.changes(), true);
    }
  }

  /** Opens files that were dropped onto the page. */
  private async openDropped(list: FileList): Promise<void> {
    const files = [...list];
    const recorded = files.find(({ name }) => /\.glb$/i.test(name));
    if (recorded) {
      return this.openRun(recorded.name, await recorded.arrayBuffer());
    }
    const texts = Object.fromEntries(await Promise.all(
      files.map(async (file) => [file.name, await file.text()] as const)));
    const names = Object.keys(texts);
    const main = names.find((name) => /\.(ya?ml|json)$/i.test(name)) ?? names.find(isModel);
    if (!main) {
      return this.say(`${names[0]}: expected a model (.lsys), a scene (.yaml) or a recorded run (.glb)`);
    }
    await this.openGiven({ file: main, files: texts });
  }

  private async openRun(name: string, bytes: ArrayBuffer): Promise<void> {
    try {
      const model = await loadMoving(name, bytes);
      const before = this.stage.model;
      this.hand.setWorld(null);
      this.overlays.setWorld(null);
      this.world = null;
      this.shown = { item: null, file: name, edited: {} };
      if (before) {
        this.stage.remove(before);
      }
      this.stage.show(model);
      this.run = { model, time: 0 };
      this.gallery.show(null);
      this.showTitle(name, '');
      this.say('');
      this.frameAgain(0);
    } catch (error) {
      this.say(`${name}: ${(error as Error).message}`);
    }
  }

  // ---- hand and pot -------------------------------------------------------------------------------

  /** Requests about a world that may be gone by now: a refusal needs no word. */
  private async ask<T>(request: () => Promise<T>): Promise<T | null> {
    try {
      return await request();
    } catch {
      return null;
    }
  }

  private grab(hold: Hold, stiffness: number): void {
    const { actors } = this.world!.opened;
    if (!hold.twisting) {
      const segment = hold.segment - actors[hold.actor].first;
      void this.ask(() => this.simulation.ask(
        { do: 'grab', actor: hold.actor, segment, point: plain(hold.point), to: plain(hold.to), stiffness }));
    }
    this.dirty = true;
  }

  private moveHold(hold: Hold): void {
    const { first } = this.world!.opened.actors[hold.actor];
    void this.ask(() => (hold.twisting
      ? this.simulation.ask({ do: 'twist', actor: hold.actor, segment: hold.segment - first, torque: hold.torque })
      : this.simulation.ask({ do: 'grabTo', to: plain(hold.to) })));
    this.dirty = true;
  }

  private pick(segment: number): void {
    const { world } = this;
    if (!world) {
      return;
    }
    this.picked = segment;
    world.tip(segment, this.restPlace);
    this.motion.clear();
    const actor = world.opened.actors[world.actorOf(segment)];
    byId('picked').textContent =
      `Picked: segment ${segment - actor.first} of ${actor.name}. Press on another to pick it.`;
  }

  // screen directions on the ground, as the camera stands
  private drive(): void {
    const right = Number(this.keys.has('ArrowRight')) - Number(this.keys.has('ArrowLeft'));
    const away = Number(this.keys.has('ArrowUp')) - Number(this.keys.has('ArrowDown'));
    if (!this.world) {
      return;
    }
    this.driving = true;
    const { azimuth } = this.rig.view;
    const [c, s] = [Math.cos(azimuth), Math.sin(azimuth)];
    const object = this.picked >= 0 ? this.world.opened.actors[this.world.actorOf(this.picked)].object : 0;
    const scale = Math.min(Math.max(this.world.height, 0.1), 4);
    void this.ask(() => this.simulation.ask(
      { do: 'drive', object, x: right * c - away * s, z: -right * s - away * c, scale }));
  }

  // ---- settings -----------------------------------------------------------------------------------

  private async applySettings(keys: Key[]): Promise<void> {
    const { world } = this;
    if (!world || !this.settings.settings || keys.length === 0) {
      return;
    }
    const values = valuesOf(this.settings.settings, keys, world.opened);
    const integrator = keys.includes('integrator') ? this.settings.settings.integrator : undefined;
    const refused = await this.ask(() => this.simulation.ask({ do: 'set', values, integrator }));
    this.say(refused?.[0] ?? '');
    this.dirty = true;
  }

  private async setSettings(changes: Partial<Settings>): Promise<void> {
    this.settings.set(changes);
    await this.ask(() => this.simulation.ask({ do: 'set', values: {} }));
  }

  private showHistory(): void {
    byId<HTMLButtonElement>('undo').disabled = !this.settings?.canUndo;
  }

  // ---- time ---------------------------------------------------------------------------------------

  private get speed(): number {
    return Number(byId<HTMLSelectElement>('speed').value);
  }

  private setPlaying(playing: boolean): void {
    this.playing = playing;
    document.body.classList.toggle('playing', playing);
    byId('play').setAttribute('aria-label', playing ? 'Stop' : 'Play');
    this.pace = { simulated: 0, real: 0, factor: this.speed };
    this.dirty = true;
  }

  /** Lets the worker go on; true when it did, and nothing failed. */
  private async advance(seconds: number, steps: number | undefined, budget: number): Promise<boolean> {
    const { world } = this;
    if (!world || this.opening > 0) {
      return false;
    }
    const wind = this.overlays.windPoints();
    const moments = this.overlays.on.has('moment');
    const state = await this.ask(() =>
      this.simulation.ask({ do: 'advance', seconds, steps, budget, moments, wind }));
    if (!state || world !== this.world) {
      return false;
    }
    this.take(state, wind);
    if (state.fault) {
      this.setPlaying(false);
      this.say(`${state.fault}. Reset to start again.`);
    }
    return !state.fault;
  }

  private take(state: State, wind?: Float64Array): void {
    const world = this.world!;
    world.setState(state);
    this.overlays.update(state, wind);
    if (state.steps > 0) {
      const mix = this.stepMilliseconds === 0 ? 1 : 0.1;
      this.stepMilliseconds += mix * (state.milliseconds / state.steps - this.stepMilliseconds);
      this.iterations += mix * (state.iterations - this.iterations);
      this.energy.add(state.time, state.energy);
      const at = world.tip(this.picked, new Vector3()).sub(this.restPlace);
      this.motion.add(state.time, at.toArray());
    }
    this.followPot(world);
    byId('clock').textContent = `${state.time.toFixed(2)} s`;
    this.moved = this.dirty = true;
    this.stillFor = 0;
  }

  // a pot that was pushed takes light, ground and camera along
  private followPot(world: LiveWorld): void {
    if (!this.driving) {
      return;
    }
    const actor = this.picked >= 0 ? world.actorOf(this.picked) : 0;
    const at = world.base(actor, new Vector3());
    const start = world.opened.state.poses;
    const first = 7 * (world.opened.actors[actor].first + actor);
    const shift = at.sub(new Vector3().fromArray(start, first)).sub(this.followed);
    if (Math.hypot(shift.x, shift.z) > 1e-6) {
      const [x, z] = [0.15 * shift.x, 0.15 * shift.z];
      this.followed.x += x;
      this.followed.z += z;
      this.stage.follow(x, z);
      this.rig.pan(x, z);
    }
  }

  private async simulate(dt: number): Promise<void> {
    this.busy = true;
    const before = this.world!.state.time;
    const seconds = this.due;
    this.due = 0;
    await this.advance(seconds, undefined, Math.max(LEAST_BUDGET, 800 * dt));
    this.busy = false;
    if (this.world) {
      this.pace.simulated += Math.max(0, this.world.state.time - before);
    }
  }

  private measurePace(dt: number): void {
    this.pace.real += dt;
    if (this.pace.real >= 1) {
      this.pace.factor = this.pace.simulated / this.pace.real;
      this.pace.simulated = this.pace.real = 0;
      const slowed = this.playing && this.world !== null && this.pace.factor < SLOW * this.speed;
      byId('notice').textContent = slowed
        ? `Time has slowed to ${this.pace.factor.toFixed(2)} of real time: the plant is large for this computer.`
        : '';
    }
  }

  // ---- pictures -----------------------------------------------------------------------------------

  private onFrame(time: number): void {
    const dt = this.lastTime < 0 ? 0 : Math.min((time - this.lastTime) / 1000, LONGEST_FRAME);
    this.lastTime = time;
    this.pictureSeconds += 0.1 * (dt - this.pictureSeconds);
    this.measurePace(dt);
    if (this.playing && this.world) {
      this.due = Math.min(this.due + dt * this.speed, LONGEST_FRAME * Math.max(1, this.speed));
      if (!this.busy && this.opening === 0) {
        void this.simulate(dt);
      }
    }
    if (this.run && this.playing) {
      this.playRun(this.run, dt);
    }
    this.stillFor += dt;
    const turned = this.rig.update(time / 1000);
    this.hand.update();
    if (turned || this.dirty || (this.moved && this.stillFor > STILL_AFTER)) {
      this.draw();
    }
    this.plotsDue += dt;
    if (this.plotsDue > PLOTS_EVERY) {
      this.plotsDue = 0;
      this.drawPlots();
      this.showFigures();
    }
    requestAnimationFrame((next) => this.onFrame(next));
  }

  private playRun(run: { model: Moving; time: number }, dt: number): void {
    const { seconds } = run.model;
    run.time = seconds > 0 ? (run.time + dt * this.speed) % seconds : 0;
    run.model.setTime(run.time);
    byId('clock').textContent = `${run.time.toFixed(2)} s`;
    this.moved = this.dirty = true;
    this.stillFor = 0;
  }

  private draw(): void {
    if (!this.drawing) {
      return;
    }
    const still = this.stillFor > STILL_AFTER;
    const sluggish = this.pictureSeconds > SLUGGISH_PICTURE;
    const due = this.pictureSeconds < SLOW_PICTURE || (this.frames % 4 === 0 && !sluggish);
    if (this.moved && (still || due)) {
      this.stage.drawShadows(!still || sluggish);
      this.moved = !still;
    }
    this.stage.render();
    this.dirty = false;
    this.frames++;
  }

  private drawPlots(): void {
    if (this.tabs?.shown === 'show') {
      this.energy.draw();
      this.motion.draw();
    }
  }

  private showFigures(): void {
    const { world } = this;
    const rows: [string, string][] = world
      ? [
          ['segments', String(world.opened.segments)],
          ['degrees of freedom', String(world.opened.dofs)],
          ['ms a step', this.stepMilliseconds.toFixed(2)],
          ['iterations', this.iterations.toFixed(1)],
          ...(world.drawn < world.opened.actors.length
            ? [['plants drawn', `${world.drawn} of ${world.opened.actors.length}`] as [string, string]] : []),
          ['of real time', this.playing ? `${this.pace.factor.toFixed(2)}×` : '–'],
        ]
      : [];
    byId('figures').hidden = rows.length === 0;
    byId('figures').replaceChildren(...rows.flatMap(([name, value]) => {
      const [term, figure] = [document.createElement('dt'), document.createElement('dd')];
      term.textContent = name;
      figure.textContent = value;
      return [term, figure];
    }));
  }

  private frameAgain(seconds: number): void {
    const model = this.world?.framed ?? this.run?.model;
    if (model) {
      const view = bestView(model, this.stage.camera, false);
      // a little room, for what bends
      view.distance *= this.world ? 1.15 : 1;
      view.target.x += this.followed.x;
      view.target.z += this.followed.z;
      this.rig.moveTo(view, seconds);
      this.turned = false;
    }
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    const ratio = Math.min(window.devicePixelRatio, GREATEST_PIXEL_RATIO);
    this.stage.resize(Math.max(clientWidth, 1), Math.max(clientHeight, 1), ratio);
    if (!this.turned) {
      this.frameAgain(0);
    }
    // a resized canvas is empty until it is drawn again
    this.draw();
  }

  private say(message: string): void {
    const fault = byId('fault');
    fault.textContent = message;
    fault.hidden = message === '';
  }

  // ---- controls -----------------------------------------------------------------------------------

  private listen(): void {
    const click = (id: string, does: () => void): void => byId(id).addEventListener('click', does);
    click('play', () => this.setPlaying(!this.playing));
    click('single', () => this.singleStep());
    click('reset', () => void this.reset());
    click('undo', () => this.settings.undo());
    click('twist', () => this.toggleTwist());
    click('picture', () => this.savePicture());
    click('glb', () => void this.saveAnimation());
    click('video', () => void this.toggleVideo());
    click('link', () => void this.showLink());
    byId<HTMLButtonElement>('video').disabled = !Video.offered;
    this.canvas.addEventListener('dblclick', () => this.frameAgain(0.8));
    this.canvas.addEventListener('webglcontextrestored', () => (this.dirty = true));
    byId('overlays').addEventListener('change', () => this.readOverlays());
    document.addEventListener('keydown', (event) => this.onKey(event));
    document.addEventListener('keyup', (event) => this.onKeyUp(event));
    window.addEventListener('blur', () => this.dropKeys());
    window.addEventListener('hashchange', () => void this.openShared());
    document.addEventListener('dragover', (event) => {
      event.preventDefault();
      document.body.classList.add('dropping');
    });
    document.addEventListener('dragleave', (event) => {
      document.body.classList.toggle('dropping', event.relatedTarget !== null);
    });
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      document.body.classList.remove('dropping');
      if (event.dataTransfer?.files.length) {
        void this.openDropped(event.dataTransfer.files);
      }
    });
  }

  private singleStep(): void {
    this.setPlaying(false);
    void this.advance(0, 1, LEAST_BUDGET);
  }

  private toggleTwist(): void {
    this.hand.twists = !this.hand.twists;
    byId('twist').setAttribute('aria-pressed', String(this.hand.twists));
  }

  private readOverlays(): void {
    this.overlays.on.clear();
    for (const box of byId('overlays').querySelectorAll('input')) {
      if (box.checked) {
        this.overlays.on.add(box.value as Overlay);
      }
    }
    // moments and wind come with the next answer of the worker
    void this.advance(0, 0, 0);
  }

  private showOverlays(overlays: Overlay[]): void {
    for (const box of byId('overlays').querySelectorAll('input')) {
      box.checked = overlays.includes(box.value as Overlay);
    }
    this.readOverlays();
  }

  private onKey(event: KeyboardEvent): void {
    const { target } = event;
    const typing = target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== 'checkbox')
      || target instanceof HTMLSelectElement;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z' && !(target instanceof HTMLTextAreaElement)) {
      event.preventDefault();
      return event.shiftKey ? this.settings.redo() : this.settings.undo();
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const onButton = target instanceof HTMLButtonElement;
    const onTab = onButton && target.getAttribute('role') === 'tab';
    if (event.key === ' ' && !onButton && !(target instanceof HTMLInputElement)) {
      event.preventDefault();
      this.setPlaying(!this.playing);
    } else if (event.key.startsWith('Arrow') && !onTab) {
      event.preventDefault();
      if (!this.keys.has(event.key)) {
        this.keys.add(event.key);
        this.drive();
      }
    } else if (event.key === '.') {
      this.singleStep();
    } else if (event.key === 'r') {
      void this.reset();
    } else if (event.key === 't') {
      this.toggleTwist();
    } else if (event.key === 'f') {
      this.frameAgain(0.8);
    }
  }

  private onKeyUp(event: KeyboardEvent): void {
    if (this.keys.delete(event.key)) {
      this.drive();
    }
  }

  private dropKeys(): void {
    if (this.keys.size > 0) {
      this.keys.clear();
      this.drive();
    }
  }

  // ---- keeping ------------------------------------------------------------------------------------

  private get shortName(): string {
    return (this.shown.item?.name ?? baseName(this.shown.file).replace(/\.\w+$/, '')) || 'tendril';
  }

  private savePicture(): void {
    this.draw();
    this.canvas.toBlob((data) => data && download(data, `${this.shortName}.png`), 'image/png');
  }

  private async saveAnimation(): Promise<void> {
    try {
      const data = await this.simulation.ask({ do: 'glb' });
      download(new Blob([data as Uint8Array<ArrayBuffer>], { type: 'model/gltf-binary' }), `${this.shortName}.glb`);
    } catch (error) {
      this.say((error as Error).message);
    }
  }

  private async toggleVideo(): Promise<void> {
    const button = byId('video');
    if (this.video.running) {
      button.setAttribute('aria-pressed', 'false');
      const data = await this.video.stop();
      download(data, `${this.shortName}.${data.type.includes('mp4') ? 'mp4' : 'webm'}`);
    } else {
      this.video.start();
      button.setAttribute('aria-pressed', 'true');
    }
  }

  private async link(): Promise<string> {
    const { item, file, edited } = this.shown;
    const shared: Shared = {
      ...(item ? { item: item.name } : { file }),
      ...(Object.keys(edited).length > 0 && { files: edited }),
      settings: this.settings.changes(),
      overlays: [...this.overlays.on],
      speed: this.speed,
      paused: !this.playing,
      view: this.viewNumbers(),
    };
    return location.href.replace(/#.*$/, '') + (await toHash(shared));
  }

  private async showLink(): Promise<void> {
    const link = await this.link();
    history.replaceState(null, '', link.slice(link.indexOf('#')));
    const text = byId<HTMLInputElement>('link-text');
    byId('link-out').hidden = false;
    text.value = link;
    text.select();
    await navigator.clipboard?.writeText(link).catch(() => undefined);
  }

  /** What the address of the page says; false when it says nothing. */
  async openShared(): Promise<boolean> {
    const shared = await fromHash(location.hash);
    const item = this.library.items.find(({ name }) => name === shared?.item) ?? null;
    const file = item?.file ?? shared?.file;
    if (!shared || !file) {
      return false;
    }
    if (!(await this.open({ item, file, edited: { ...shared.files } }, shared.settings ?? {}))) {
      return false;
    }
    byId<HTMLSelectElement>('speed').value = String(shared.speed ?? 1);
    this.showOverlays((shared.overlays ?? []).filter((one) => OVERLAYS.includes(one)));
    this.setPlaying(!shared.paused);
    if (shared.view?.length === 6 && shared.view.every(Number.isFinite)) {
      const [x, y, z, distance, azimuth, elevation] = shared.view;
      this.rig.moveTo({ target: new Vector3(x, y, z), distance, azimuth, elevation }, 0);
      this.turned = true;
    }
    return true;
  }

  private viewNumbers(): [number, number, number, number, number, number] {
    const { target, distance, azimuth, elevation }: View = this.rig.view;
    return [target.x, target.y, target.z, distance, azimuth, elevation];
  }

  // ---- for scripts --------------------------------------------------------------------------------

  // As many steps as fit, one answer at a time, so that nothing else is asked in between for long.
  private async runFor(seconds: number, each?: () => void): Promise<void> {
    const end = this.world!.state.time + seconds;
    while (this.world && this.world.state.time < end - 0.5 * this.world.state.dt) {
      const left = Math.round((end - this.world.state.time) / this.world.state.dt);
      if (!(await this.advance(0, each ? 1 : Math.min(left, 30), 1000))) {
        return;
      }
      each?.();
    }
  }

  private makeState(): ViewerState {
    const viewer = this;
    const at = (find: (out: Vector3) => Vector3): [number, number, number] => find(new Vector3()).toArray();
    return {
      get ready() { return viewer.frames > 0 && viewer.opening === 0 && (viewer.world !== null || viewer.run !== null); },
      get drawing() { return viewer.drawing; },
      set drawing(on) {
        viewer.drawing = on;
        viewer.dirty = viewer.moved = true;
      },
      get name() { return viewer.shortName; },
      get items() { return viewer.library.items.map(({ name }) => name); },
      get time() { return viewer.run?.time ?? viewer.world?.state.time ?? 0; },
      get dt() { return viewer.world?.state.dt ?? 0; },
      get playing() { return viewer.playing; },
      get speed() { return viewer.speed; },
      get segments() { return viewer.world?.opened.segments ?? 0; },
      get dofs() { return viewer.world?.opened.dofs ?? 0; },
      get factor() { return viewer.pace.factor; },
      get slowed() { return byId('notice').textContent !== ''; },
      get frames() { return viewer.frames; },
      get fault() { return byId('fault').hidden ? '' : byId('fault').textContent!; },
      get faults() { return viewer.editor.faults; },
      get settings() { return viewer.settings.settings; },
      get overlays() { return [...viewer.overlays.on]; },
      get holding() { return viewer.hand.hold !== null; },
      get heldTo() { return viewer.hand.hold?.to.toArray() ?? null; },
      get picked() { return viewer.picked; },
      get plotted() { return { energy: viewer.energy.count, segment: viewer.motion.count }; },
      get view() { return viewer.viewNumbers(); },
      highest: () => viewer.world!.highest(),
      origin: (segment) => at((out) => viewer.world!.origin(segment, out)),
      tip: (segment) => at((out) => viewer.world!.tip(segment, out)),
      base: (actor) => at((out) => viewer.world!.base(actor, out)),
      onScreen: (place) => {
        const box = viewer.canvas.getBoundingClientRect();
        const { x, y } = viewer.hand.screen(new Vector3(...place));
        return [box.left + x, box.top + y];
      },
      run: (seconds) => viewer.runFor(seconds),
      follow: async (segment, seconds) => {
        const rows: [number, number, number, number][] = [];
        await viewer.runFor(seconds, () =>
          rows.push([viewer.world!.state.time, ...at((out) => viewer.world!.tip(segment, out))]));
        return rows;
      },
      open: async (name) => {
        const item = viewer.library.items.find((one) => one.name === name);
        await (item ? viewer.openItem(item) : Promise.reject(new Error(`no item ${name}`)));
      },
      set: (changes) => viewer.setSettings(changes),
      frequency: (actor) => viewer.simulation.ask({ do: 'frequency', actor }),
      glb: () => viewer.simulation.ask({ do: 'glb' }),
      link: () => viewer.link(),
    };
  }
}

function plain({ x, y, z }: Vector3): { x: number; y: number; z: number } {
  return { x, y, z };
}

function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

async function start(): Promise<void> {
  if (!document.createElement('canvas').getContext('webgl2')) {
    throw new Error('this page draws with WebGL 2, which this browser does not offer');
  }
  const library = JSON.parse((await readText('library'))!) as Library;
  const script = (await readText('worker'))!;
  const module = (await readBytes('module')) ?? (await (await fetch('tendril.wasm')).arrayBuffer());
  const viewer = new Viewer(library, new Simulation(script, module));
  viewer.start();
  const given = document.getElementById('given');
  if (await viewer.openShared()) {
    return;
  }
  if (given) {
    await viewer.openGiven(JSON.parse(given.textContent!) as Given);
  } else {
    await viewer.openItem(library.items[0]);
  }
}

start().catch((error: Error) => {
  const fault = byId('fault');
  fault.textContent = `The viewer cannot start: ${error.message}`;
  fault.hidden = false;
});

// SPDX-License-Identifier: MIT
// Editing a scene by hand: what is in it, what is chosen, and changes of its YAML, which go the way of
// all texts. A model alone becomes a scene with the first change.

import { baseName, isModel } from './library';
import type { LiveText } from './live-text';
import { KINDS, definedIn, holderOf, keysOf, numberOf, numbersOf, relative, thingsOf, turnOf, valueAt } from './scene-kinds';
import type { Data, Field, Kind, Keys, Thing } from './scene-kinds';
import { ScenePanel } from './scene-panel';
import type { Edit, Path } from './scene-text';
import { Timeline } from './timeline';
import type { Viewer } from './viewer';

const SECONDS = 10; // that a scene lasts unless it says so
const LATER = 1; // s: where a second key goes when the first is at the start

export class SceneEditor {
  scene: Data | null = null;
  things: Thing[] = [];
  /** Its list and number, with a comma between; '': nothing. */
  chosen = '';
  /** Of the chosen thing: the field and number of a key. */
  chosenKey: { field: string; index: number } | null = null;
  private readonly viewer: Viewer;
  private readonly live: LiveText;
  private readonly panel: ScenePanel;
  private readonly timeline: Timeline;
  private file = '';
  private text = '';
  private pending: Promise<void> = Promise.resolve();
  private waiting = 0;
  private moving: { edits: Edit[] } | null = null;

  constructor(parent: HTMLElement, viewer: Viewer, live: LiveText) {
    this.viewer = viewer;
    this.live = live;
    this.panel = new ScenePanel(parent, this);
    this.timeline = new Timeline(parent, this);
  }

  /** What is shown now; what was chosen stays so where it still is. */
  async show(): Promise<void> {
    const { file } = this.viewer.shown;
    if (this.waiting > 0) {
      return;
    }
    if (file !== this.file && !(isModel(this.file) && file === sceneFile(this.file))) {
      this.choose('');
    }
    this.file = file;
    this.text = this.ownText(file);
    await this.change([]);
  }

  private ownText(file: string): string {
    return isModel(file) ? sceneText(file, this.viewer.shown.item?.title) : this.viewer.texts.of(file);
  }

  get seconds(): number {
    const found = numberOf((this.scene?.record as Data | undefined)?.duration);
    return found > 0 ? found : SECONDS;
  }

  /** A change is on its way. */
  get busy(): boolean {
    return this.waiting > 0;
  }

  get time(): number {
    return this.viewer.world?.state.time ?? 0;
  }

  get name(): string {
    return baseName(isModel(this.file) ? sceneFile(this.file) : this.file);
  }

  get yaml(): string {
    return this.text;
  }

  /** Models that a new plant can have. */
  get models(): string[] {
    const { library, shown } = this.viewer;
    return [...new Set([...Object.keys(library.files), ...Object.keys(shown.edited)])].filter(isModel).sort();
  }

  get chosenThing(): Thing | null {
    return this.things.find(({ item }) => item.join() === this.chosen) ?? null;
  }

  choose(item: string, key: SceneEditor['chosenKey'] = null): void {
    this.chosen = item;
    this.chosenKey = key;
    this.draw();
  }

  draw(): void {
    this.viewer.sliders.setOverridden((file) => definedIn(this.scene, baseName(file)));
    this.panel.draw();
    this.timeline.draw();
    this.viewer.picture.touched();
  }

  /** Ten times a second. */
  tick(): void {
    this.timeline.showTime(this.time);
  }

  // ---- changes ------------------------------------------------------------------------------------

  /**
   * One after the other, since each begins with the text of the one before. `done`: the move is over;
   * until then what has not begun gives way to what comes later.
   */
  change(edits: Edit[], done = true): Promise<void> {
    if (!done && this.moving) {
      this.moving.edits = edits;
      return this.pending;
    }
    const next = { edits };
    this.moving = done ? null : next;
    this.waiting++;
    this.pending = this.pending.then(() => {
      this.moving = this.moving === next ? null : this.moving;
      return this.changeNow(next.edits, done);
    }).finally(() => this.waiting--);
    return this.pending;
  }

  private async changeNow(edits: Edit[], done: boolean): Promise<void> {
    const answer = await this.viewer.texts.editScene(this.text, edits);
    if (!answer) {
      return this.takeBack();
    }
    this.text = answer.text;
    this.scene = answer.scene;
    this.things = this.scene ? thingsOf(this.scene) : [];
    if (edits.length > 0) {
      const file = isModel(this.file) ? sceneFile(this.file) : this.file;
      this.live.tell({ [file]: this.text }, file);
      this.file = file;
    }
    if (done && edits.length > 0) {
      await this.live.end();
      // a change that was refused is not in the text
      if (this.viewer.shown.file !== this.file || this.viewer.texts.of(this.file) !== this.text) {
        return this.takeBack();
      }
    }
    this.draw();
  }

  private async takeBack(): Promise<void> {
    const { file } = this.viewer.shown;
    this.file = file;
    this.text = this.ownText(file);
    const answer = await this.viewer.texts.editScene(this.text, []);
    this.scene = answer?.scene ?? null;
    this.things = this.scene ? thingsOf(this.scene) : [];
    this.draw();
  }

  // ---- things -------------------------------------------------------------------------------------

  async add(kind: Kind, model: string): Promise<void> {
    const folder = this.file.slice(0, this.file.lastIndexOf('/') + 1);
    const names = new Set(this.things.map(({ data }) => data.name));
    const base = kind.id === 'plant' ? baseName(model).replace(/\.\w+$/, '') : kind.label.toLowerCase();
    let name = base;
    for (let k = 2; names.has(name); k++) {
      name = `${base} ${k}`;
    }
    const { min, max } = this.viewer.world!.framed.box;
    const height = max.y - Math.max(min.y, 0) || 1;
    const x = Number((max.x + 0.25 * height).toPrecision(2));
    const object = String(this.things.find(({ item: [list] }) => list === 'objects')?.data.name ?? '');
    const data = kind.make({ x, height, low: min.y, name, plant: relative(folder, model), object });
    await this.change([{ add: [kind.list], value: data }]);
    const last = this.things.filter(({ item: [list] }) => list === kind.list).pop();
    this.choose(last?.item.join() ?? '');
    if (kind.list !== 'loads') {
      this.viewer.picture.frameAgain();
    }
  }

  /** With what acts on it alone: a load without its object would be refused. */
  async remove({ item, data }: Thing): Promise<void> {
    const acting = item[0] === 'objects' && typeof data.name === 'string'
      ? this.things.filter((one) => one.item[0] === 'loads' && one.data.object === data.name) : [];
    const probes = ((this.scene?.record as Data | undefined)?.probes ?? []) as Data[];
    const watching = item[0] === 'objects' ? [...probes.keys()].filter((k) => probes[k].object === data.name && data.name) : [];
    const paths: Path[] = [...acting.map((one) => one.item), item, ...watching.map((k): Path => ['record', 'probes', k])];
    // from the last on, so that numbers of those before stay
    const last = (path: Path): number => path[path.length - 1] as number;
    this.choose('');
    await this.change(paths.sort((a, b) => last(b) - last(a)).map((remove) => ({ remove })));
  }

  /** Where the numbers of a field stand: those of the key that is chosen, or of the value itself. */
  valueOf(thing: Thing, field: Field): { path: Path; value: unknown; keys: Keys | null } {
    const { path, data } = holderOf(thing, field);
    const { item } = thing;
    const { key, fallback } = field;
    const keys = keysOf(data[key]);
    const index = this.chosen === item.join() && this.chosenKey?.field === key ? Math.min(this.chosenKey.index, (keys?.length ?? 1) - 1) : 0;
    return keys
      ? { path: [...path, key, 'keys', index, 1], value: keys[index][1], keys }
      : { path: [...path, key], value: data[key] ?? fallback, keys };
  }

  /** One number of a field. */
  setNumber(thing: Thing, field: Field, axis: number, value: number, done: boolean): void {
    const { path, value: before } = this.valueOf(thing, field);
    const numbers = numbersOf(before) ?? [];
    const all = numbers.map((one, k) => (k === axis ? value : one));
    void this.change([this.edit(field, path, axis, all, field.key in thing.data)], done);
  }

  /** Of a value that is there only the number that changes, so that all else of it stays as it was written. */
  private edit({ kind }: Field, path: Path, axis: number, all: number[], there: boolean): Edit {
    if (kind === 'turn') {
      const own = axis < 3 ? ['axis', axis] : ['degrees'];
      return there ? { set: [...path, ...own], value: all[axis] } : { set: path, value: turnOf(all) };
    }
    return kind === 'vector' && !there ? { set: path, value: all } : { set: kind === 'vector' ? [...path, axis] : path, value: all[axis] };
  }

  setVector(thing: Thing, field: Field, value: number[], done: boolean): void {
    const { path } = this.valueOf(thing, field);
    const edits: Edit[] = field.key in thing.data
      ? value.map((one, axis) => ({ set: [...path, axis], value: one })) : [{ set: path, value }];
    void this.change(edits, done);
  }

  setText({ path, data }: Thing, { key }: Field, value: string): void {
    void this.change(value === '' ? (key in data ? [{ remove: [...path, key] }] : []) : [{ set: [...path, key], value }]);
  }

  // ---- keys ---------------------------------------------------------------------------------------

  /** A key at the time that is shown; a value without keys gets its first, and holds until then. */
  async addKey(thing: Thing, field: Field): Promise<void> {
    const { value, keys } = this.valueOf(thing, field);
    const now = Number(Math.min(this.time, this.seconds).toFixed(2));
    const path = [...thing.path, field.key];
    const item = thing.item.join();
    if (!keys) {
      const later = now > 0.01 ? now : Math.min(LATER, this.seconds);
      await this.change([{ set: path, value: { keys: [[0, value], [later, value]] } }]);
      return this.choose(item, { field: field.key, index: 1 });
    }
    const near = keys.findIndex(([time]) => Math.abs(time - now) < 0.005);
    if (near < 0) {
      const next = [...keys, [now, valueAt(keys, now)] as [number, unknown]].sort(([a], [b]) => a - b);
      await this.change([{ set: [...path, 'keys'], value: next }]);
    }
    this.choose(item, { field: field.key, index: near >= 0 ? near : keys.filter(([time]) => time < now).length });
  }

  /** The last key that goes leaves its value behind. */
  removeKey(thing: Thing, key: string, index: number): void {
    const keys = keysOf(thing.data[key])!;
    const path = [...thing.path, key];
    this.chosenKey = null;
    void this.change([keys.length > 1 ? { remove: [...path, 'keys', index] } : { set: path, value: keys[0][1] }]);
  }

  moveKey(thing: Thing, key: string, index: number, time: number, done: boolean): void {
    void this.change([{ set: [...thing.path, key, 'keys', index, 0], value: time }], done);
  }
}

export const kindOf = (id: string): Kind => KINDS.find((kind) => kind.id === id)!;

/** The scene that a model alone becomes. */
function sceneFile(model: string): string {
  return model.replace(/\.\w+$/, '.yaml');
}

function sceneText(model: string, title = ''): string {
  const [file, name] = [baseName(model), baseName(model).replace(/\.\w+$/, '')];
  const written = (text: string): string => (/^[A-Za-z][\w. -]*$/.test(text) ? text : JSON.stringify(text));
  return `name: ${written(title || name)}\nobjects:\n  - name: ${written(name)}\n    plant: ${written(file)}\n`;
}

// SPDX-License-Identifier: MIT
// The worker: holds the module and one world, and does what the page asks. A page stays alive
// whatever happens here; it can end the worker and start another.

import { unpack } from '../bytes';
import { lookAhead } from './ahead';
import { readFiner, readKind, readSolid, sizeOfMeshes } from './kinds';
import { Module } from './module';
import { OrganFinder } from './organs';
import { durationOf, pathsOf } from './paths';
import { ARROW, MOST_ARROWS, POSE, SEGMENT, STROKE } from './protocol';
import type { Actor, Answers, Fault, Kind, Opened, Request, Saved, Source, State } from './protocol';
import { editScene, readScene } from './scene-text';
import { openScene } from './told';

const WIND_LOAD = 0; // td_scene_load_kind
const RECORD_FPS = 30;
const RECORD_SECONDS = 10;
const RECORD_BYTES = 96 << 20;
const MOST_SAVED = 2 << 20; // bytes: what is larger does not fit into a link, however it is packed
/** How a pot is pushed: acceleration, brake and greatest speed of one that is a metre high. */
const PUSH = { acceleration: 3, brake: 2.2, speed: 1.6 };

let module: Module;
let kinds: Kind[] = [];
let recording: Recording | null = null;
let drive = { object: 0, x: 0, z: 0, scale: 1, vx: 0, vz: 0 };
/** The pot is led from one place to another, as by a spring that does not swing. */
let led: { from: { x: number; z: number }; to: { x: number; z: number } } | null = null;
const LEAD_RATE = 22; // rad/s
let secondsLeft = 0;
/** The save of the world as it was opened. */
let start: Uint8Array<ArrayBuffer> = new Uint8Array();

// ---- opening --------------------------------------------------------------------------------------

function faults(status: number): Fault[] {
  const { call } = module;
  const all = Array.from({ length: call.web_fault_count() }, (_, k) => ({
    file: module.text(call.web_fault_file(k)),
    line: call.web_fault_line(k),
    column: call.web_fault_column(k),
    text: module.text(call.web_fault_text(k)),
  }));
  const unsaid = { file: '', line: 0, column: 0, text: module.text(call.web_status_text(status)) };
  return all.length > 0 ? all : [unsaid];
}

function addFiles(files: Record<string, string>): void {
  module.call.web_clear_files();
  for (const [name, text] of Object.entries(files)) {
    const [nameBlock] = module.put(name);
    const [block, size] = module.put(text);
    module.call.web_add_file(nameBlock, block, size);
  }
}

function get(path: string): number {
  return module.withText(path, (block) => module.call.web_get(block));
}

function set(path: string, value: number): number {
  return module.withText(path, (block) => module.call.web_set(block, value));
}

function findWind(): number {
  const { call } = module;
  for (let k = 0; k < call.web_load_count(); k++) {
    if (call.web_load_kind(k) === WIND_LOAD) {
      return k;
    }
  }
  return -1;
}

function readValues(wind: number): Record<string, number> {
  const paths = ['gravity.x', 'gravity.y', 'gravity.z'];
  for (let k = 0; k < module.call.web_object_count(); k++) {
    const figures = ['stiffness', 'damping', 'adapt.error', 'adapt.joints'];
    paths.push(...figures.map((figure) => `objects[${k}].${figure}`));
  }
  if (wind >= 0) {
    const figures = ['velocity.x', 'velocity.y', 'velocity.z', 'gust', 'intensity'];
    paths.push(...figures.map((figure) => `loads[${wind}].wind.${figure}`));
  }
  return Object.fromEntries(paths.map((path) => [path, get(path)]));
}

function readActors(): Pick<Opened, 'actors' | 'kinds' | 'shapes' | 'coarse'> {
  const { call } = module;
  const meshes = Array.from({ length: call.web_actor_count() }, (_, k) => call.web_mesh_of(k));
  if (meshes.some((mesh) => mesh < 0)) {
    throw [{ file: '', line: 0, column: 0, text: 'the plant is too large to draw' }];
  }
  // the first picture is to come soon
  const { many, held } = sizeOfMeshes(module, meshes);
  const finder = new OrganFinder();
  kinds = [];
  let first = 0;
  const actors = meshes.map((kind, k) => {
    kinds[kind] ??= readKind(module, k, many ? call.web_far(kind) : kind, finder);
    const segments = call.web_actor_segments(k);
    const [name, dofs] = [module.text(call.web_actor_name(k)), call.web_actor_dofs(k)];
    const actor = { name, object: call.web_actor_object(k), kind, segments, dofs, first };
    first += segments;
    return actor;
  });
  return { actors, kinds, shapes: finder.shapes, coarse: many && held };
}

function readSolvers(): Pick<Opened, 'objects' | 'solvers' | 'knownSolvers' | 'integrators' | 'weights'> {
  const { call } = module;
  const knownSolvers: string[] = [];
  for (let name; (name = module.text(call.web_solver_name(knownSolvers.length))) !== '';) {
    knownSolvers.push(name);
  }
  const objects = Array.from({ length: call.web_object_count() }, (_, k) =>
    module.text(call.web_object_name(k)) || `object ${k}`);
  return {
    objects,
    solvers: objects.map((_, k) => knownSolvers[call.web_solver(k)] ?? ''),
    knownSolvers,
    integrators: knownSolvers.map((_, k) => call.web_solver_integrators(k)),
    weights: objects.map((_, k) => call.web_weights(k)),
  };
}

// the largest extent of an actor's joints along an axis
function sizeOf(actors: Actor[], poses: Float32Array): number {
  let size = 1e-3;
  actors.forEach(({ first, segments }, k) => {
    for (let axis = 0; axis < 3; axis++) {
      let [low, high] = [Infinity, -Infinity];
      for (let i = first + k; i <= first + k + segments; i++) { // its base, then its segments
        low = Math.min(low, poses[POSE * i + axis]);
        high = Math.max(high, poses[POSE * i + axis]);
      }
      size = Math.max(size, high - low);
    }
  });
  return size;
}

// of each base, which has none, and segment
function tipsOf(actors: Actor[]): Float32Array {
  return Float32Array.from(actors.flatMap(({ kind, segments }) => [0, 0, 0,
    ...Array.from({ length: 3 * segments }, (_, i) =>
      kinds[kind].segments[SEGMENT.count * Math.floor(i / 3) + SEGMENT.tip + (i % 3)])]));
}

// the outermost points of the motion; then all is as before
function reachOf(text: string, actors: Actor[]): Float32Array {
  const { call } = module;
  if (start.length === 0) {
    return new Float32Array(); // large worlds are slow as well
  }
  const count = poseCount();
  const reach = lookAhead({
    step: () => call.web_step() === 0,
    time: () => call.web_time(),
    poses: () => module.floats(call.web_poses(), POSE * count),
    tips: tipsOf(actors),
  }, durationOf(text));
  restoreBytes(start);
  return reach;
}

function open(source: Source, solvers?: string[], ahead = false): Opened {
  const { call } = module;
  addFiles(source.files);
  const status = openScene(module, source.file, source.text, true, solvers);
  if (status !== 0) {
    throw faults(status);
  }
  const looks = readActors();
  const { actors } = looks;
  recording?.free();
  recording = new Recording();
  led = null;
  drive = { object: 0, x: 0, z: 0, scale: 1, vx: 0, vz: 0 };
  secondsLeft = 0;
  start = saveBytes();
  const reach = ahead ? reachOf(source.text, actors) : new Float32Array();
  const wind = findWind();
  const state = readState(0, 0, 0);
  return {
    name: module.text(call.web_scene_name()),
    text: module.text(call.web_scene_text()),
    ...looks,
    colliders: Array.from({ length: call.web_collider_count() }, (_, k) => readSolid(module, k)),
    arrow: readSolid(module, call.web_collider_count()),
    segments: actors.reduce((sum, { segments }) => sum + segments, 0),
    dofs: actors.reduce((sum, { dofs }) => sum + dofs, 0),
    size: sizeOf(actors, state.poses),
    paths: pathsOf(source.text),
    reach,
    ...readSolvers(),
    wind,
    integrator: call.web_integrator(0),
    values: readValues(wind),
    state,
  };
}

function check(file: string, text: string, files: Record<string, string>): Fault[] {
  addFiles({ ...files, [file]: text });
  const status = module.withText(file, (block) => module.call.web_check(block));
  return status === 0 ? [] : faults(status);
}

// ---- moving ---------------------------------------------------------------------------------------

/** Bases and segments of all actors. */
function poseCount(): number {
  const { call } = module;
  let count = 0;
  for (let k = 0; k < call.web_actor_count(); k++) {
    count += 1 + call.web_actor_segments(k);
  }
  return count;
}

function readState(steps: number, milliseconds: number, iterations: number): State {
  const { call } = module;
  const [kinetic, elastic, weight] = module.doubles(call.web_energy(), 3);
  const [joints, active, estimate, velocity] = module.doubles(call.web_adapted(), 4);
  return {
    time: call.web_time(),
    dt: call.web_dt(),
    poses: module.floats(call.web_poses(), POSE * poseCount()).slice(),
    colliders: module.floats(call.web_collider_poses(), POSE * call.web_collider_count()).slice(),
    energy: [kinetic, elastic, weight],
    adapted: { joints, active, estimate, velocity },
    steps,
    milliseconds,
    iterations,
  };
}

function advance(request: Extract<Request, { do: 'advance' }>): State {
  const { call } = module;
  const dt = call.web_dt();
  secondsLeft += request.seconds;
  const wanted = request.steps ?? Math.floor(secondsLeft / dt + 1e-9);
  const begin = performance.now();
  const before = { iterations: call.web_iterations(), steps: call.web_actor_steps() };
  let steps = 0;
  let fault: string | undefined;
  while (steps < wanted && !fault && (steps === 0 || performance.now() - begin < request.budget)) {
    movePot(dt);
    const status = call.web_step();
    if (status !== 0) {
      fault = faults(status)[0].text;
      break;
    }
    steps++;
    recording?.take();
  }
  // what is not done in time is not done at all: time slows down
  secondsLeft = request.steps ? 0 : Math.min(secondsLeft - steps * dt, dt);
  const taken = call.web_actor_steps() - before.steps;
  const iterations = taken > 0 ? (call.web_iterations() - before.iterations) / taken : 0;
  const state = readState(steps, performance.now() - begin, iterations);
  const total = state.poses.length / POSE - call.web_actor_count();
  if (request.moments) {
    state.moments = module.floats(call.web_moments(), total).slice();
  }
  if (request.clusters) {
    state.clusters = module.integers(call.web_clusters(), total).slice();
  }
  if (request.contacts) {
    state.arrows = arrows();
  }
  if (request.skeleton) {
    const count = call.web_draw();
    state.strokes = module.floats(call.web_strokes(), STROKE * count).slice();
  }
  if (request.wind) {
    state.wind = windAt(request.wind);
  }
  return fault ? { ...state, fault } : state;
}

function arrows(): Float32Array {
  const block = module.take(4 * ARROW * MOST_ARROWS);
  module.call.web_arrows(block);
  const found = module.floats(block, ARROW * MOST_ARROWS).slice();
  module.call.web_give(block);
  return found;
}

function windAt(points: Float64Array): Float64Array {
  const block = module.take(points.byteLength);
  module.doubles(block, points.length).set(points);
  module.call.web_wind(points.length / 3, block);
  const found = module.doubles(block, points.length).slice();
  module.call.web_give(block);
  return found;
}

// Pushed, the pot gains speed up to a limit; let go, it slides on and comes to rest.
function movePot(dt: number): void {
  if (!led && drive.x === 0 && drive.z === 0 && drive.vx === 0 && drive.vz === 0) {
    return;
  }
  const path = `objects[${drive.object}].position`;
  const [x, z] = [get(`${path}.x`), get(`${path}.z`)];
  const change = (v: number, push: number, way: number): number => {
    if (led) {
      // a = w^2 (to - x) - 2 w v
      return v + (LEAD_RATE ** 2 * way - 2 * LEAD_RATE * v) * Math.min(dt, 0.5 / LEAD_RATE);
    }
    const limit = PUSH.speed * drive.scale;
    if (push !== 0) {
      return Math.max(-limit, Math.min(limit, v + push * PUSH.acceleration * drive.scale * dt));
    }
    return Math.sign(v) * Math.max(0, Math.abs(v) - PUSH.brake * drive.scale * dt);
  };
  drive.vx = change(drive.vx, drive.x, led ? led.to.x - x : 0);
  drive.vz = change(drive.vz, drive.z, led ? led.to.z - z : 0);
  set(`${path}.x`, x + drive.vx * dt);
  set(`${path}.z`, z + drive.vz * dt);
}

function lead(object: number, by: { x: number; z: number } | null): void {
  if (!by) {
    led = null;
    return;
  }
  drive.object = object;
  const [x, z] = ['x', 'z'].map((axis) => get(`objects[${object}].position.${axis}`));
  const from = led?.from ?? { x, z };
  led = { from, to: { x: from.x + by.x, z: from.z + by.z } };
}

// Of all objects that can have it; false when none can.
function setIntegrator(integrator: number): boolean {
  const { call } = module;
  let taken = false;
  for (let k = 0; k < call.web_object_count(); k++) {
    taken = call.web_set_integrator(k, integrator) === 0 || taken;
  }
  return taken;
}

function change(values: Record<string, number>, integrator?: number): string[] {
  const refused: string[] = [];
  for (const [path, value] of Object.entries(values)) {
    const status = set(path, value);
    if (status !== 0) {
      refused.push(faults(status)[0].text);
    }
  }
  if (integrator !== undefined && !setIntegrator(integrator)) {
    refused.push('no object of this scene can change to this integrator while it runs');
  }
  return refused;
}

// ---- saving -----------------------------------------------------------------------------------------

/** The world's own save; empty when it is too large for anything that a page does with it. */
function saveBytes(): Uint8Array<ArrayBuffer> {
  const { call } = module;
  const size = call.web_save_size();
  if (size > MOST_SAVED) {
    return new Uint8Array();
  }
  const block = module.take(size);
  call.web_save(block);
  const bytes = module.bytes(block, size).slice();
  call.web_give(block);
  return bytes;
}

// Words that are as they were at the start become 0, which packs well, and 0 becomes those: done
// twice all is as before.
function apartFromStart(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const out = bytes.slice();
  if (bytes.length === start.length) {
    const [words, first] = [out, start].map(({ buffer, length }) => new BigUint64Array(buffer, 0, length >> 3));
    first.forEach((word, k) => {
      words[k] = words[k] === word ? 0n : words[k] === 0n ? word : words[k];
    });
  }
  return out;
}

function save(): Saved {
  return { bytes: apartFromStart(saveBytes()), sliding: [drive.object, drive.vx, drive.vz, drive.scale] };
}

function restoreBytes(bytes: Uint8Array): void {
  const block = module.take(bytes.length);
  module.bytes(block, bytes.length).set(bytes);
  const status = module.call.web_restore(block, bytes.length);
  module.call.web_give(block);
  if (status !== 0) {
    throw faults(status);
  }
}

function restore({ bytes, sliding: [object, vx, vz, scale] }: Saved): State {
  restoreBytes(apartFromStart(bytes));
  drive = { ...drive, object, vx, vz, scale };
  return readState(0, 0, 0);
}

// ---- recording ------------------------------------------------------------------------------------

/** The last seconds, frame by frame, in the module's memory. */
class Recording {
  private readonly size = 4 * module.call.web_frame_size();
  private readonly capacity = Math.max(
    2, Math.min(RECORD_FPS * RECORD_SECONDS, Math.floor(RECORD_BYTES / this.size)));
  private block = 0;
  private count = 0; // frames taken, of which the last `capacity` are kept
  private lastFrame = -1;

  take(): void {
    const frame = Math.floor(module.call.web_time() * RECORD_FPS + 1e-6);
    if (frame === this.lastFrame) {
      return;
    }
    this.lastFrame = frame;
    this.block ||= module.take(this.size * this.capacity);
    module.call.web_frame(this.block + this.size * (this.count % this.capacity));
    this.count++;
  }

  glb(): Uint8Array {
    if (this.count === 0) {
      this.take();
    }
    const kept = Math.min(this.count, this.capacity);
    const ordered = module.take(this.size * kept);
    for (let k = 0; k < kept; k++) {
      const from = this.block + this.size * ((this.count - kept + k) % this.capacity);
      module.bytes(ordered + this.size * k, this.size).set(module.bytes(from, this.size));
    }
    const { status, data } = module.collect(() => module.call.web_glb(ordered, kept, RECORD_FPS));
    module.call.web_give(ordered);
    if (status !== 0) {
      throw faults(status);
    }
    return data;
  }

  free(): void {
    module.call.web_give(this.block);
    this.block = 0;
  }
}

// ---- requests -------------------------------------------------------------------------------------

async function answer(request: Request): Promise<Answers[Request['do']]> {
  switch (request.do) {
    case 'load':
      module = await Module.load(
        typeof request.module === 'string' ? await unpack(request.module) : request.module);
      return true;
    case 'open': return open(request.source, request.solvers, request.ahead);
    case 'finer': return readFiner(module, kinds);
    case 'edit': {
      const text = editScene(request.text, request.edits);
      return { text, scene: readScene(text) };
    }
    case 'check': return check(request.file, request.text, request.files);
    case 'advance': return advance(request);
    case 'set': return change(request.values, request.integrator);
    case 'grab': {
      const { actor, segment, point: p, to, stiffness } = request;
      module.call.web_grab(actor, segment, p.x, p.y, p.z, to.x, to.y, to.z, stiffness);
      return true;
    }
    case 'grabTo':
      module.call.web_grab_to(request.to.x, request.to.y, request.to.z);
      return true;
    case 'release':
      module.call.web_release();
      module.call.web_twist(0, 0, 0);
      return true;
    case 'twist':
      module.call.web_twist(request.actor, request.segment, request.torque);
      return true;
    case 'drive':
      drive = { ...drive, object: request.object, x: request.x, z: request.z, scale: request.scale };
      return true;
    case 'lead':
      lead(request.object, request.by);
      return true;
    case 'frequency': return module.call.web_frequency(request.actor);
    case 'glb': return recording!.glb();
    case 'save': return save();
    case 'restore': return restore(request.saved);
  }
}

// the types of a page know a window here, not a worker
const port = globalThis as unknown as {
  onmessage: (event: MessageEvent<{ id: number; request: Request }>) => void;
  postMessage(message: unknown): void;
};

// one after the other, in the order of asking
let before: Promise<void> = Promise.resolve();
port.onmessage = ({ data: { id, request } }) => {
  before = before.then(async () => {
    try {
      port.postMessage({ id, value: await answer(request) });
    } catch (error) {
      const list = Array.isArray(error)
        ? (error as Fault[])
        : [{ file: '', line: 0, column: 0, text: (error as Error).message }];
      port.postMessage({ id, faults: list });
    }
  });
};

#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// The same scenes by the command's code and by the WebAssembly module: all joints must be in the
// same places after two seconds, to a part in ten million of the scene's size. From a saved state the
// module goes on as it did. Organs that the page draws by their shapes are where the mesh has them.

import { execFileSync } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, webCore } from './web-tools.mjs';

const USAGE = 'usage: check-wasm.mjs MODULE.wasm MAKE_POSES [SCENE.yaml...]';
const SECONDS = 2;
const TOLERANCE = 1e-7;
const MESH_TOLERANCE = 1e-6; // of the scene's size: meshes have 24 bits
const STEPS_AFTER = 20;
const root = fileURLToPath(new URL('..', import.meta.url));
const CHOSEN = ['rose-wilts', 'pull-and-release', 'pot-moves-in-a-circle', 't-plant-twisted', 'palm-in-wind']
  .map((name) => path.join(root, 'scenes', `${name}.yaml`));

const [moduleFile, native, ...given] = process.argv.slice(2);
if (!moduleFile || !native) {
  fail(USAGE, 2);
}

const { Module, OrganFinder, openScene, readKind, readParts } = await webCore();
const module = await Module.load(await readFile(moduleFile));

async function addModels(folder, below) {
  for (const entry of await readdir(path.join(folder, below), { withFileTypes: true })) {
    const name = path.posix.join(below, entry.name);
    if (entry.isDirectory()) {
      await addModels(folder, name);
    } else if (name.endsWith('.lsys')) {
      const [file] = module.put(name);
      const [text, size] = module.put(await readFile(path.join(folder, name), 'utf8'));
      module.call.web_add_file(file, text, size);
    }
  }
}

async function compare(scene) {
  const { call } = module;
  call.web_clear_files();
  await addModels(path.dirname(scene), '');
  const status = openScene(module, path.basename(scene), await readFile(scene, 'utf8'), false);
  if (status !== 0) {
    return fail(`${scene}: ${module.text(call.web_fault_text(0))}`, 3);
  }
  const steps = Math.round(SECONDS / call.web_dt());
  for (let k = 0; k < steps; k++) {
    call.web_step();
  }
  const rows = execFileSync(native, [scene, String(SECONDS)], { encoding: 'utf8', maxBuffer: 1 << 28 });
  let [worst, size, count] = [0, 0, 0];
  let places = null;
  for (const row of rows.trim().split('\n')) {
    const [actor, segment, ...place] = row.split(' ').map(Number);
    if (segment === 0) {
      places = module.doubles(call.web_origins(actor), 3 * call.web_actor_segments(actor)).slice();
    }
    place.forEach((x, k) => {
      worst = Math.max(worst, Math.abs(x - places[3 * segment + k]));
      size = Math.max(size, Math.abs(x));
    });
    count++;
  }
  const organs = organError() / size;
  const resumed = goesOnAsBefore();
  const good = worst <= TOLERANCE * size && organs <= MESH_TOLERANCE && resumed;
  console.log(`${good ? 'ok    ' : 'FAILED'} ${path.basename(scene)}: ${count} joints, off by ` +
    `${(worst / size).toExponential(1)}; vertices of organs by ${organs.toExponential(1)}; ` +
    `${resumed ? 'goes on' : 'does not go on'} from a saved state`);
  return good;
}

// ---- saving -------------------------------------------------------------------------------------

const joints = () => Array.from({ length: module.call.web_actor_count() }, (_, k) =>
  [...module.doubles(module.call.web_origins(k), 3 * module.call.web_actor_segments(k))]).flat();

function stepsFromHere() {
  for (let k = 0; k < STEPS_AFTER; k++) {
    module.call.web_step();
  }
  return joints();
}

function goesOnAsBefore() {
  const { call } = module;
  const size = call.web_save_size();
  const block = module.take(size);
  call.web_save(block);
  const [here, first] = [joints(), stepsFromHere()];
  const status = call.web_restore(block, size);
  const back = joints();
  const second = stepsFromHere();
  const cut = call.web_restore(block, size - 1);
  call.web_give(block);
  const same = (a, b) => a.every((x, k) => x === b[k]);
  return status === 0 && cut !== 0 && !same(here, first) && same(here, back) && same(first, second);
}

// ---- organs -------------------------------------------------------------------------------------

/** Greatest distance, m, of a vertex that the shapes give from that of the mesh. */
function organError() {
  const { call } = module;
  const finder = new OrganFinder();
  let worst = 0;
  for (let actor = 0; actor < call.web_actor_count(); actor++) {
    const mesh = call.web_mesh_of(actor);
    const { organs, bind } = readKind(module, actor, mesh, finder);
    for (const part of readParts(module, mesh)) {
      const found = organs.filter(({ shape }) => finder.shapes[shape].name === part.name);
      worst = Math.max(worst, partError(part, found, finder.shapes, bind));
    }
  }
  return worst;
}

// organs come in the order of the mesh: each begins where its segment's first vertex stands
function partError({ position, joint, weight }, organs, shapes, bind) {
  let [at, worst] = [0, 0];
  for (const { shape, segment, size } of organs) {
    while (joint[4 * at] !== segment || weight[4 * at] !== 255) {
      at++;
    }
    const own = shapes[shape].position;
    const [x, y, z, ...turn] = bind.subarray(7 * segment, 7 * segment + 7);
    for (let i = 0; i < own.length; i += 3, at++) {
      const [a, b, c] = turned(turn, own.subarray(i, i + 3));
      worst = Math.max(worst, Math.hypot(
        x + size * a - position[3 * at], y + size * b - position[3 * at + 1], z + size * c - position[3 * at + 2]));
    }
  }
  return worst;
}

// v + 2 u x (u x v + w v), with u = (x, y, z)
function turned([x, y, z, w], [a, b, c]) {
  const [p, q, r] = [y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c];
  return [a + 2 * (y * r - z * q), b + 2 * (z * p - x * r), c + 2 * (x * q - y * p)];
}

let good = true;
for (const scene of given.length > 0 ? given : CHOSEN) {
  good = (await compare(scene)) && good;
}
process.exit(good ? 0 : 1);

#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// The same scenes by the command's code and by the WebAssembly module: all joints must be in the
// same places after two seconds, to a part in ten million of the scene's size.

import { execFileSync } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, webCore } from './web-tools.mjs';

const USAGE = 'usage: check-wasm.mjs MODULE.wasm MAKE_POSES [SCENE.yaml...]';
const SECONDS = 2;
const TOLERANCE = 1e-7;
const root = fileURLToPath(new URL('..', import.meta.url));
const CHOSEN = ['rose-wilts', 'pull-and-release', 'pot-moves-in-a-circle', 't-plant-twisted', 'palm-in-wind']
  .map((name) => path.join(root, 'scenes', `${name}.yaml`));

const [moduleFile, native, ...given] = process.argv.slice(2);
if (!moduleFile || !native) {
  fail(USAGE, 2);
}

const { Module, openScene } = await webCore();
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
  const good = worst <= TOLERANCE * size;
  console.log(`${good ? 'ok    ' : 'FAILED'} ${path.basename(scene)}: ${count} joints, off by ${(worst / size).toExponential(1)}`);
  return good;
}

let good = true;
for (const scene of given.length > 0 ? given : CHOSEN) {
  good = (await compare(scene)) && good;
}
process.exit(good ? 0 : 1);

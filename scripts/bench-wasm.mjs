#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Nanoseconds a body and step of the WebAssembly module, for 'tendril bench wasm':
// bench-wasm.mjs MODULE.wasm MODEL.lsys SECONDS

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fail, webCore } from './web-tools.mjs';

const STEPS = 120;
const [moduleFile, model, seconds] = process.argv.slice(2);
if (!moduleFile || !model || !(Number(seconds) > 0)) {
  fail('usage: bench-wasm.mjs MODULE.wasm MODEL.lsys SECONDS', 2);
}

const { Module, openScene } = await webCore();
const module = await Module.load(await readFile(moduleFile));
const { call } = module;
const name = path.basename(model);
const [file] = module.put(name);
const [text, size] = module.put(await readFile(model, 'utf8'));
call.web_add_file(file, text, size);

let least = Infinity;
const end = performance.now() + 1000 * Number(seconds);
do {
  if (openScene(module, 'scene.yaml', `objects: [{plant: ${name}, start: drawn}]`, false) !== 0) {
    fail(module.text(call.web_fault_text(0)), 3);
  }
  const start = performance.now();
  for (let k = 0; k < STEPS; k++) {
    call.web_step();
  }
  least = Math.min(least, (1e6 * (performance.now() - start)) / STEPS / call.web_actor_segments(0));
} while (performance.now() < end);
console.log(least);

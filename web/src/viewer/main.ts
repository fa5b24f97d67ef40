// SPDX-License-Identifier: MIT
// Starts the viewer with what the page carries: the library of plants, the worker, the module.

import { readBytes, readText } from '../bytes';
import { Controls } from './controls';
import { Keeper } from './keeper';
import type { Given, Library } from './library';
import { sayFault } from './notices';
import { Shake } from './shake';
import { Simulation } from './simulation';
import { publish } from './state';
import { Viewer } from './viewer';

async function start(): Promise<void> {
  if (!document.createElement('canvas').getContext('webgl2')) {
    throw new Error('this page draws with WebGL 2, which this browser does not offer');
  }
  const library = JSON.parse((await readText('library'))!) as Library;
  const script = (await readText('worker'))!;
  const module = (await readBytes('module')) ?? (await (await fetch('tendril.wasm')).arrayBuffer());
  const viewer = new Viewer(library, new Simulation(script, module));
  const keeper = new Keeper(viewer);
  new Controls(viewer, keeper);
  new Shake(viewer);
  publish(viewer, keeper);
  viewer.start();
  const given = document.getElementById('given');
  const item = given ? viewer.own.setGiven(JSON.parse(given.textContent!) as Given) : library.items[0];
  if (!(await keeper.openShared()) && !(await keeper.openLast())) {
    await (given ? viewer.openItem(item) : viewer.chooseItem(item));
  }
}

start().catch((error: Error) => sayFault(`The viewer cannot start: ${error.message}`));

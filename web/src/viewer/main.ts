// SPDX-License-Identifier: MIT
// Starts the viewer with what the page carries: the library of plants, the worker, the module.

import { Controls } from './controls';
import { startEarly } from './early';
import { Keeper } from './keeper';
import type { Given } from './library';
import { sayFault } from './notices';
import { Shake } from './shake';
import { publish } from './state';
import { Viewer } from './viewer';

async function start(): Promise<void> {
  const { library, simulation } = await (window.tendrilEarly ?? startEarly());
  // the gallery's pictures stand at the end of the page
  if (document.readyState === 'loading') {
    await new Promise((parsed) => document.addEventListener('DOMContentLoaded', parsed));
  }
  const viewer = new Viewer(library, simulation);
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
  viewer.fillGallery();
}

start().catch((error: Error) => sayFault(`The viewer cannot start: ${error.message}`));

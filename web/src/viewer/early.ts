// SPDX-License-Identifier: MIT
// What begins before the page's own script is unpacked: the worker with the module, and in it the
// first plant, which grows while the page is made.

import { readText } from '../bytes';
import { makeSource } from './library';
import type { Library } from './library';
import { Simulation } from './simulation';
import { NOW, recall } from './storage';

export interface Early {
  library: Library;
  simulation: Simulation;
}

declare global {
  interface Window {
    tendrilEarly?: Promise<Early>;
  }
}

export async function startEarly(): Promise<Early> {
  const script = (await readText('worker'))!;
  const packed = document.getElementById('module')?.textContent;
  const simulation = new Simulation(script, packed ?? (await (await fetch('tendril.wasm')).arrayBuffer()));
  const library = JSON.parse((await readText('library'))!) as Library;
  const asked = location.hash !== '' || document.getElementById('given') || recall(NOW, 'tab');
  if (!asked) {
    simulation.expect(makeSource(library.items[0].file, library.files));
  }
  return { library, simulation };
}

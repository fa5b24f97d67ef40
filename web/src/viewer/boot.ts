// SPDX-License-Identifier: MIT
// Starts the simulation, then unpacks the viewer's script, which is the larger part of the page beside
// the module, and starts it.

import { readText } from '../bytes';
import { startEarly } from './early';

function tell(message: string): void {
  const fault = document.getElementById('fault')!;
  fault.querySelector('span')!.textContent = `The viewer cannot start: ${message}`;
  fault.hidden = false;
}

async function boot(): Promise<void> {
  if (typeof DecompressionStream === 'undefined') {
    throw new Error('this page unpacks itself with DecompressionStream, which this browser does not offer');
  }
  window.tendrilEarly = startEarly();
  const script = document.createElement('script');
  script.textContent = await readText('script');
  // a worker starts only while the page has nothing else to do
  await (await window.tendrilEarly).simulation.loaded;
  document.body.append(script);
}

boot().catch((error: Error) => tell(error.message));

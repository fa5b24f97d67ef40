// SPDX-License-Identifier: MIT
// Unpacks the viewer's script, which is the larger part of the page beside the module, and starts it.

import { readText } from '../bytes';

function tell(message: string): void {
  const fault = document.getElementById('fault')!;
  fault.querySelector('span')!.textContent = `The viewer cannot start: ${message}`;
  fault.hidden = false;
}

async function boot(): Promise<void> {
  if (typeof DecompressionStream === 'undefined') {
    throw new Error('this page unpacks itself with DecompressionStream, which this browser does not offer');
  }
  const script = document.createElement('script');
  script.textContent = await readText('script');
  document.body.append(script);
}

boot().catch((error: Error) => tell(error.message));

// SPDX-License-Identifier: MIT
// What the scripts that use a page in Chromium share: checks that are counted, an ear for
// complaints and requests, patience, fingers, and what every page owes a phone.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { fail } from './web-tools.mjs';

export const DESKTOP = { width: 960, height: 640 };
export const PHONE = { width: 390, height: 780 };
/** Of a canvas along a pixel of the page: software is slow with each, and no check needs more. */
export const PIXELS = 0.25;
export const PATIENCE = 60000; // ms

/** The address of a page on the disk. */
export function addressOf(file) {
  return existsSync(file) ? pathToFileURL(path.resolve(file)).href : fail(`${file}: no such file`, 3);
}

/** What Chromium says of its own way to show a canvas when it composes pages in software. */
const OF_THE_BROWSER = /GPU stall due to ReadPixels/;

export class Checks {
  count = 0;
  faults = [];

  expect(condition, message) {
    this.count++;
    if (!condition) {
      this.faults.push(message);
      console.error(`failed: ${message}`);
    }
  }

  /** From now on a complaint on the console, and a request to a network, is a failure. */
  watch(page) {
    page.on('console', (message) => {
      const complains = /^(error|warning)$/.test(message.type()) && !OF_THE_BROWSER.test(message.text());
      this.expect(!complains, `console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.expect(false, `uncaught: ${error.message}`));
    page.on('request', (request) => {
      this.expect(/^(file|data|blob):/.test(request.url()), `request: ${request.url()}`);
    });
  }

  /** What goes wrong on the way is a failure as well. */
  async run(name, check) {
    try {
      await check();
    } catch (error) {
      this.expect(false, `${name}: ${error.message.split('\n')[0]}`);
    }
  }

  /** Says how it went, and ends. */
  finish(file) {
    console.log(`${file}: ${this.count - this.faults.length} of ${this.count} checks passed`);
    process.exit(this.faults.length === 0 ? 0 : 1);
  }
}

export async function waitFor(page, condition, argument, patience = PATIENCE) {
  await page.waitForFunction(condition, argument, { timeout: patience, polling: 25 });
}

/** Fingers on the glass: a function of the kind of event and the places, in CSS pixels. */
export async function fingers(page) {
  const session = await page.context().newCDPSession(page);
  return (type, ...points) => session.send('Input.dispatchTouchEvent', {
    type,
    touchPoints: points.map(([x, y], id) => ({ x, y, id })),
  });
}

/** The page on a phone: nothing to scroll, and the picture has its share of the height. */
export async function checkPhone(page, checks, leastShare) {
  await page.setViewportSize(PHONE);
  await waitFor(page, () => {
    const { width, height, clientWidth, clientHeight } = document.getElementById('view');
    return Math.abs((width * clientHeight) / (height * clientWidth) - 1) < 0.02;
  });
  const fits = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth <= window.innerWidth,
    high: document.documentElement.scrollHeight <= window.innerHeight,
    share: document.getElementById('view').clientHeight / window.innerHeight,
  }));
  checks.expect(fits.wide && fits.high, 'a phone shows the page without scrolling');
  checks.expect(fits.share > leastShare, `the picture has ${fits.share.toFixed(2)} of a phone's height`);
}

#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Opens the viewer from the disk in Chromium and uses it as a visitor would: with the mouse, fingers,
// keys, sliders and the editor. Any complaint on the console and any request to a network is a
// failure.
//
// Software rendering is slow and its speed says nothing, so what is checked is the state that the
// page publishes as window.tendrilViewer (see web/src/viewer/state.ts), in simulated time.

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { addressOf } from './page-checks.mjs';
import { checkAccuracy, checkCameraWeights } from './viewer-checks/adaptive.mjs';
import * as motion from './viewer-checks/motion.mjs';
import { WINDOW, checks, ready, setDrawing } from './viewer-checks/page.mjs';
import { checkPictures } from './viewer-checks/pictures.mjs';
import * as use from './viewer-checks/use.mjs';
import { fail, launchBrowser } from './web-tools.mjs';

const USAGE = `usage: check-viewer.mjs PAGE.html [--references FOLDER [--renew]] [--pictures FOLDER]
                           [--only CHECK,...] [--given]

--references compares pictures with those kept there, --renew keeps new ones; --pictures keeps a
picture of the page after each check that draws; --given: a page of 'tendril view'.`;
/** Checks that need pictures; all others are faster without. */
const SEEN = ['start', 'overlays', 'editor', 'drop', 'colliders', 'saving', 'scheme', 'pictures', 'given'];

const { values: options, positionals: [file, ...extra] } = parseArgs({
  allowPositionals: true,
  options: {
    pictures: { type: 'string' },
    references: { type: 'string' },
    renew: { type: 'boolean' },
    only: { type: 'string' },
    given: { type: 'boolean' },
  },
});
if (!file || extra.length > 0) {
  fail(USAGE, 2);
}

const all = {
  start: use.checkStart,
  clock: motion.checkClock,
  drag: motion.checkDrag,
  touch: motion.checkTouch,
  twist: motion.checkTwist,
  pot: motion.checkPot,
  forces: motion.checkForces,
  solvers: motion.checkSolvers,
  accuracy: checkAccuracy,
  camera: checkCameraWeights,
  settings: use.checkSettings,
  overlays: use.checkOverlays,
  editor: use.checkEditor,
  drop: use.checkDrop,
  colliders: use.checkColliders,
  saving: use.checkSaving,
  link: use.checkLink,
  phone: use.checkSmall,
  keyboard: use.checkKeyboard,
  scheme: use.checkScheme,
  scenes: motion.checkScenes,
  ...(options.references && {
    pictures: (page) => checkPictures(page, options.references, options.renew),
  }),
};

function chosen() {
  if (options.given) {
    return [['given', use.checkGiven]];
  }
  return Object.entries(all).filter(([name]) => !options.only || options.only.split(',').includes(name));
}

async function keepPicture(page, name) {
  if (options.pictures) {
    await mkdir(options.pictures, { recursive: true });
    await page.screenshot({ path: path.join(options.pictures, `viewer-${name}.png`) });
  }
}

const address = addressOf(file);
const browser = await launchBrowser();
const context = await browser.newContext({ viewport: WINDOW, hasTouch: true });
const page = await context.newPage();
checks.watch(page);
await checks.run('opening', async () => {
  await page.goto(address);
  await ready(page);
});
for (const [name, check] of chosen()) {
  const begin = Date.now();
  await checks.run(name, async () => {
    await setDrawing(page, SEEN.includes(name));
    await check(page);
    if (SEEN.includes(name)) {
      await keepPicture(page, name);
    }
  });
  console.log(`${name}: ${((Date.now() - begin) / 1000).toFixed(1)} s`);
}
await browser.close();
checks.finish(file);

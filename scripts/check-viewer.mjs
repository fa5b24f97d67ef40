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
import { checkAccess } from './viewer-checks/axe.mjs';
import { checkEditor } from './viewer-checks/editor.mjs';
import { checkFiles } from './viewer-checks/files.mjs';
import * as motion from './viewer-checks/motion.mjs';
import { checkOver } from './viewer-checks/over.mjs';
import { WINDOW, checks, drawOnce, ready, setDrawing, startUndrawn } from './viewer-checks/page.mjs';
import { checkPictures } from './viewer-checks/pictures.mjs';
import { checkSceneEditing } from './viewer-checks/scene.mjs';
import { checkHand, checkSliders } from './viewer-checks/shape.mjs';
import * as use from './viewer-checks/use.mjs';
import { fail, launchBrowser } from './web-tools.mjs';

const USAGE = `usage: check-viewer.mjs PAGE.html [--given PAGE.html] [--references FOLDER [--renew]]
                           [--pictures FOLDER] [--only CHECK,...]

--references compares pictures with those kept there, --renew keeps new ones; --pictures keeps a
picture of the page after each check; --given: also a page of 'tendril view'.`;
/** Checks that need pictures all the time; others draw one where they need it. */
const SEEN = ['saving'];
/** Checks of a page that was just opened: it draws from the start. */
const OPENED = ['start', 'given'];
/** Checks that look at pictures need more pixels than others: software is slow with each of them. */
const SHARP = ['pictures', 'saving'];
const PIXELS = { sharp: 0.5, coarse: 0.25 }; // of the canvas, along a pixel of the page
const LANES = 2; // pages at a time, for as many processors

const { values: options, positionals: [file, ...extra] } = parseArgs({
  allowPositionals: true,
  options: {
    pictures: { type: 'string' },
    references: { type: 'string' },
    renew: { type: 'boolean' },
    only: { type: 'string' },
    given: { type: 'string' },
  },
});
if (!file || extra.length > 0) {
  fail(USAGE, 2);
}

/** Those that take longest first, but for the start, which is of a page that was just opened. */
const all = {
  ...(options.references && {
    pictures: (page) => checkPictures(page, options.references, options.renew),
  }),
  start: use.checkStart,
  overlays: use.checkOverlays,
  saving: use.checkSaving,
  editor: checkEditor,
  sliders: checkSliders,
  scene: checkSceneEditing,
  scheme: use.checkScheme,
  colliders: use.checkColliders,
  files: checkFiles,
  drop: use.checkDrop,
  link: use.checkLink,
  forces: motion.checkForces,
  accuracy: checkAccuracy,
  clock: motion.checkClock,
  drag: motion.checkDrag,
  touch: motion.checkTouch,
  hand: checkHand,
  twist: motion.checkTwist,
  pot: motion.checkPot,
  solvers: motion.checkSolvers,
  camera: checkCameraWeights,
  settings: use.checkSettings,
  over: checkOver,
  access: checkAccess,
  phone: use.checkSmall,
  keyboard: use.checkKeyboard,
  ...(options.given && { given: use.checkGiven }),
  scenes: motion.checkScenes,
};

async function keepPicture(page, name) {
  if (options.pictures) {
    await drawOnce(page);
    await mkdir(options.pictures, { recursive: true });
    await page.screenshot({ path: path.join(options.pictures, `viewer-${name}.png`) });
  }
}

/** How a page is opened for a check: which, how many pixels it has, and whether it draws from the start. */
function kindOf(name) {
  return {
    address: addressOf(name === 'given' ? options.given : file),
    sharp: SHARP.includes(name),
    drawn: [...OPENED, ...SHARP, ...SEEN].includes(name),
  };
}

async function openPage({ address, sharp, drawn }) {
  const deviceScaleFactor = options.pictures || options.renew ? 1 : sharp ? PIXELS.sharp : PIXELS.coarse;
  const context = await (drawn ? drawing : reading).newContext({ viewport: WINDOW, hasTouch: true, deviceScaleFactor });
  if (!drawn) {
    await context.addInitScript(startUndrawn);
  }
  const page = await context.newPage();
  checks.watch(page);
  await page.goto(address);
  await ready(page);
  return page;
}

async function runCheck(page, name) {
  const begin = Date.now();
  await checks.run(name, async () => {
    await setDrawing(page, SEEN.includes(name));
    await page.locator('#tab-plants').click();
    await all[name](page);
    await keepPicture(page, name);
  });
  console.log(`${name}: ${((Date.now() - begin) / 1000).toFixed(1)} s`);
}

/** Takes checks from the list until it is empty, and a new page where another kind is needed. */
async function runLane(names) {
  let [page, kind] = [null, ''];
  for (let name = names.shift(); name; name = names.shift()) {
    const wanted = kindOf(name);
    if (kind !== JSON.stringify(wanted)) {
      await page?.context().close();
      page = null;
      await checks.run(`opening for ${name}`, async () => (page = await openPage(wanted)));
      kind = page ? JSON.stringify(wanted) : '';
    }
    if (page) {
      await runCheck(page, name);
    }
  }
}

const names = Object.keys(all).filter((name) => !options.only || options.only.split(',').includes(name));
// the scenes are shared by all lanes, sharp pages are one after the other in the first
const sharp = names.filter((name) => SHARP.includes(name));
const rest = names.filter((name) => !SHARP.includes(name));
const shared = rest.includes('scenes') ? [...rest, ...Array(LANES - 1).fill('scenes')] : rest;
// without the graphics card, which is software too, panels cost half as much and pictures more
const [drawing, reading] = await Promise.all([launchBrowser(), launchBrowser(['--disable-gpu-compositing'])]);
await Promise.all([
  runLane(sharp).then(() => runLane(shared)),
  ...Array.from({ length: LANES - 1 }, () => runLane(shared)),
]);
await Promise.all([drawing.close(), reading.close()]);
checks.finish(file);

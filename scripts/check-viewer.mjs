#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Opens the viewer from the disk in Chromium and uses it as a visitor would: with the mouse, keys,
// sliders and the editor. Any complaint on the console and any request to a network is a failure.
//
// Software rendering is slow and its speed says nothing, so what is checked is the state that the
// page publishes as window.tendrilViewer (see web/src/viewer/state.ts), in simulated time.

import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { fail, launchBrowser, webPackage } from './web-tools.mjs';

const USAGE = `usage: check-viewer.mjs PAGE.html [--references FOLDER [--renew]] [--pictures FOLDER]
                           [--only CHECK,...] [--all] [--given]

--references compares pictures with those kept there, --renew keeps new ones; --pictures keeps
pictures of what is checked; --all simulates 3 s also of scenes with many thousand segments; --given: a page of 'tendril view'.`;
const WINDOW = { width: 900, height: 460 };
const PHONE = { width: 390, height: 780 };
const PATIENCE = 60000;
const MANY_SEGMENTS = 6000;
/** Checks that no picture is needed for. */
const BLIND = ['pot', 'forces', 'scenes'];

const { values: options, positionals: [file, ...extra] } = parseArgs({
  allowPositionals: true,
  options: {
    pictures: { type: 'string' },
    references: { type: 'string' },
    renew: { type: 'boolean' },
    only: { type: 'string' },
    all: { type: 'boolean' },
    given: { type: 'boolean' },
  },
});
if (!file || extra.length > 0) {
  fail(USAGE, 2);
}
if (!existsSync(file)) {
  fail(`${file}: no such file`, 3);
}
const address = pathToFileURL(path.resolve(file)).href;

const faults = [];
let checks = 0;
function expect(condition, message) {
  checks++;
  if (!condition) {
    faults.push(message);
    console.error(`failed: ${message}`);
  }
}

function watch(page) {
  page.on('console', (message) => {
    expect(!/^(error|warning)$/.test(message.type()), `console: ${message.text()}`);
  });
  page.on('pageerror', (error) => expect(false, `uncaught: ${error.message}`));
  page.on('request', (request) => {
    expect(/^(file|data|blob):/.test(request.url()), `request: ${request.url()}`);
  });
}

async function waitFor(page, condition, argument) {
  await page.waitForFunction(condition, argument, { timeout: PATIENCE, polling: 100 });
}

const ready = (page) => waitFor(page, () => window.tendrilViewer?.ready || !document.getElementById('fault').hidden);

/** A call of the page's own interface: a function of the viewer and one argument. */
const ask = (page, call, argument) => page.evaluate(
  ([text, value]) => new Function('viewer', 'value', `return (${text})(viewer, value)`)(window.tendrilViewer, value),
  [call.toString(), argument]);

async function openItem(page, name) {
  await ask(page, (viewer, item) => viewer.open(item), name);
  await ready(page);
}

/** Pictures cost time where there is no graphics card; what does not look at them does without. */
const setDrawing = (page, on) => page.evaluate((value) => {
  window.tendrilViewer.drawing = value;
}, on);

async function setPlaying(page, playing) {
  if (await ask(page, (viewer) => viewer.playing) !== playing) {
    await page.locator('#play').click();
  }
  // an answer of the worker may still be on its way
  await page.waitForTimeout(200);
}

const tipOf = (page, segment) => ask(page, (viewer, s) => viewer.tip(s), segment);
const distance = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));

// ---- checks -------------------------------------------------------------------------------------

async function checkStart(page) {
  expect(await page.locator('#fault').isHidden(), await page.locator('#fault').innerText());
  const first = await ask(page, (viewer) => ({ playing: viewer.playing, segments: viewer.segments, dofs: viewer.dofs }));
  expect(first.playing && first.segments > 0 && first.dofs >= first.segments, 'a plant is there and moves');
  await waitFor(page, () => window.tendrilViewer.time > 0.1);
  const items = await ask(page, (viewer) => viewer.items);
  expect(await page.locator('#plants button').count() === items.length, `the gallery has ${items.length} entries`);
  expect(await page.locator('#plants img').count() > 10, 'the gallery has pictures');
  await page.locator('#plants button[data-name=monopodial]').click();
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.name === 'monopodial');
  expect(await page.locator('#title').innerText() === 'Monopodial', 'the title follows');
}

async function checkClock(page) {
  await setPlaying(page, false);
  const stopped = await ask(page, (viewer) => viewer.time);
  await page.waitForTimeout(300);
  expect(await ask(page, (viewer) => viewer.time) === stopped, 'stopped, time stands still');
  const dt = await ask(page, (viewer) => viewer.dt);
  await page.locator('#single').click();
  await waitFor(page, (time) => window.tendrilViewer.time > time, stopped);
  const step = await ask(page, (viewer) => viewer.time) - stopped;
  expect(Math.abs(step - dt) < 1e-9, `a single step is one step (${step})`);
  await page.locator('#reset').click();
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.time === 0);
  await page.locator('#speed').selectOption('0.1');
  expect(await ask(page, (viewer) => viewer.speed) === 0.1, 'slow motion can be chosen');
  await page.locator('#speed').selectOption('1');
  await page.locator('#view').focus();
  await page.keyboard.press(' ');
  await waitFor(page, () => window.tendrilViewer.playing && window.tendrilViewer.time > 0.05);
}

async function checkScenes(page) {
  await setPlaying(page, false);
  for (const name of await ask(page, (viewer) => viewer.items)) {
    if (/^(fig-|hilbert|signal|parametric)/.test(name) && !options.all) {
      continue; // figures of a book: nothing in them is light or limp
    }
    await openItem(page, name);
    const state = await ask(page, (viewer) => ({ name: viewer.name, segments: viewer.segments, fault: viewer.fault }));
    expect(state.name === name && state.fault === '', `${name} opens (${state.fault})`);
    const seconds = state.segments < MANY_SEGMENTS || options.all ? 3 : 0.1;
    await ask(page, (viewer, s) => viewer.run(s), seconds);
    const then = await ask(page, (viewer) => ({ time: viewer.time, fault: viewer.fault, tip: viewer.tip(0) }));
    expect(then.time > seconds - 0.02 && then.fault === '' && then.tip.every(Number.isFinite),
      `${name} simulates ${seconds} s (${then.time}, ${then.fault})`);
  }
}

/** Looks from the front and brings a point within the picture. */
async function screenOf(page, place) {
  return ask(page, (viewer, p) => viewer.onScreen(p), place);
}

async function checkDrag(page) {
  await openItem(page, 'wheat');
  await setPlaying(page, false);
  const tip = await ask(page, (viewer) => viewer.highest());
  const rest = await tipOf(page, tip);
  const [x, y] = await screenOf(page, rest);
  const [side] = await screenOf(page, [rest[0] + 0.1, rest[1], rest[2]]);
  const pixels = Math.abs(side - x);
  await page.mouse.move(x, y);
  await page.mouse.down();
  expect(await ask(page, (viewer) => viewer.holding), 'pressing on the tip takes hold of it');
  await page.mouse.move(x + pixels, y, { steps: 5 });
  await ask(page, (viewer) => viewer.run(3));
  const to = await ask(page, (viewer) => viewer.heldTo);
  const held = await tipOf(page, tip);
  expect(Math.abs(distance(to, rest) - 0.1) < 0.02, `the pointer was moved by 10 cm (${distance(to, rest)})`);
  expect(distance(held, to) < 0.01, `the tip is within 1 cm of the pointer (${distance(held, to)})`);
  await picture(page, 'drag');
  await page.mouse.up();
  expect(!(await ask(page, (viewer) => viewer.holding)), 'letting go lets go');
  await checkSway(page, tip, rest, held);
}

// After the release: past the middle, to and fro at the first frequency, and less and less.
async function checkSway(page, tip, rest, held) {
  const away = rest.map((r, k) => held[k] - r);
  const along = (p) => p.reduce((sum, v, k) => sum + (v - rest[k]) * away[k], 0) / Math.hypot(...away);
  const rows = await ask(page, (viewer, s) => viewer.follow(s, 6), tip);
  const swing = rows.map(([time, ...place]) => [time, along(place)]);
  const crossings = [];
  for (let k = 1; k < swing.length; k++) {
    const [[t0, a], [t1, b]] = [swing[k - 1], swing[k]];
    if (a * b < 0) {
      crossings.push(t0 + ((t1 - t0) * a) / (a - b));
    }
  }
  expect(Math.min(...swing.map(([, s]) => s)) < -0.02 * Math.hypot(...away), 'it swings past its rest');
  const used = crossings.slice(0, 7);
  const found = (used.length - 1) / 2 / (used[used.length - 1] - used[0]);
  await ask(page, (viewer) => viewer.run(25));
  const wanted = await ask(page, (viewer) => viewer.frequency(0));
  expect(Math.abs(found / wanted - 1) < 0.05, `it sways at ${found} Hz; its lowest mode has ${wanted} Hz`);
  const settled = along(await tipOf(page, tip));
  expect(Math.abs(settled) < 0.02 * Math.hypot(...away), `it comes to rest (${settled})`);
}

async function checkPot(page) {
  await openItem(page, 'potted-sunflower');
  await setPlaying(page, false);
  const tip = await ask(page, (viewer) => viewer.highest());
  const [base0, tip0] = [await ask(page, (viewer) => viewer.base(0)), await tipOf(page, tip)];
  await page.locator('#view').focus();
  await page.keyboard.down('ArrowRight');
  await ask(page, (viewer) => viewer.run(0.25));
  const [base1, tip1] = [await ask(page, (viewer) => viewer.base(0)), await tipOf(page, tip)];
  const moved = base1.map((v, k) => v - base0[k]);
  const lag = tip1.reduce((sum, v, k) => sum + (v - tip0[k] - moved[k]) * moved[k], 0);
  expect(Math.hypot(...moved) > 0.01, `an arrow key moves the pot (${moved})`);
  expect(lag < 0, `the tip first stays behind (${lag})`);
  await page.keyboard.up('ArrowRight');
  await ask(page, (viewer) => viewer.run(0.1));
  const base2 = await ask(page, (viewer) => viewer.base(0));
  expect(distance(base2, base1) > 1e-3, 'let go, the pot slides on');
  await ask(page, (viewer) => viewer.run(3));
  const base3 = await ask(page, (viewer) => viewer.base(0));
  await ask(page, (viewer) => viewer.run(0.5));
  expect(distance(await ask(page, (viewer) => viewer.base(0)), base3) < 1e-9, 'and comes to rest');
}

async function checkForces(page) {
  await openItem(page, 'rose');
  await setPlaying(page, false);
  const tip = await ask(page, (viewer) => viewer.highest());
  const rest = await tipOf(page, tip);
  const after = async (changes, seconds) => {
    await ask(page, (viewer, c) => viewer.set(c), changes);
    await ask(page, (viewer, s) => viewer.run(s), seconds);
    return (await tipOf(page, tip)).map((v, k) => v - rest[k]);
  };
  const soft = await after({ stiffness: 0.1 }, 2);
  expect(soft[1] < -0.05, `a tenth of the stiffness lets the rose droop (${soft[1]} m)`);
  await page.locator('#undo').click();
  expect(await ask(page, (viewer) => viewer.settings.stiffness) === 1, 'undo takes it back');
  const back = await after({}, 4);
  expect(Math.abs(back[1]) < 0.4 * Math.abs(soft[1]), `and the rose rises again (${back[1]} m)`);
  await page.locator('#reset').click();
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.time === 0);
  const sideways = await after({ tilt: 90, turn: 0 }, 2);
  expect(sideways[0] > 0.03, `gravity to the side bends it to the side (${sideways[0]} m)`);
  await page.locator('#undo').click();
  await page.locator('#reset').click();
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.time === 0);
  const blown = await after({ wind: 10, windTurn: 90 }, 2);
  expect(blown[2] < -0.02, `wind leans it downwind (${blown[2]} m)`);
  await ask(page, (viewer) => viewer.set({ gust: 0.5, turbulence: 0.3, step: 1 / 120, integrator: 1 }));
  await ask(page, (viewer) => viewer.run(0.5));
  const { dt, fault } = await ask(page, (viewer) => ({ dt: viewer.dt, fault: viewer.fault }));
  expect(Math.abs(dt - 1 / 120) < 1e-9 && fault === '', `gusts, step and integrator change while it runs (${dt}, ${fault})`);
}

async function checkSliders(page) {
  await openItem(page, 'wheat');
  await page.locator('#tab-forces').click();
  await page.locator('#set-gravity').fill('20');
  expect(Math.abs(await ask(page, (viewer) => viewer.settings.gravity) - 20) < 0.01, 'a slider sets gravity');
  await page.locator('#set-gravity').blur();
  await page.keyboard.press('Control+z');
  expect(Math.abs(await ask(page, (viewer) => viewer.settings.gravity) - 9.81) < 0.01, 'Ctrl+Z undoes it');
  await page.locator('#tab-show').click();
  for (const overlay of ['moment', 'skeleton', 'velocity', 'centre', 'wind']) {
    await page.locator(`#overlays input[value=${overlay}]`).check();
  }
  expect((await ask(page, (viewer) => viewer.overlays)).length === 5, 'overlays can be shown');
  await ask(page, (viewer) => viewer.run(0.5));
  const { energy, segment } = await ask(page, (viewer) => viewer.plotted);
  expect(energy > 0 && segment > 0, 'energy and a segment are plotted');
  await picture(page, 'overlays');
  for (const overlay of ['moment', 'skeleton', 'velocity', 'centre', 'wind']) {
    await page.locator(`#overlays input[value=${overlay}]`).uncheck();
  }
  await page.locator('#tab-plants').focus();
  await page.keyboard.press('ArrowRight');
  expect(await page.locator('#forces').isVisible(), 'tabs follow the arrow keys');
  await page.locator('#tab-plants').click();
}

async function checkEditor(page) {
  await openItem(page, 'monopodial');
  await page.locator('#tab-write').click();
  const area = page.locator('#source');
  const good = await area.inputValue();
  const segments = await ask(page, (viewer) => viewer.segments);
  const lines = good.split('\n');
  const at = lines.findIndex((line) => /^\s*derivation length/.test(line));
  const wrong = [...lines.slice(0, at + 1), 'A --> F(', ...lines.slice(at + 1)].join('\n');
  await area.fill(wrong);
  await waitFor(page, () => window.tendrilViewer.faults.length > 0);
  const [fault] = await ask(page, (viewer) => viewer.faults);
  expect(Math.abs(fault.line - (at + 2)) <= 1, `the error is shown at its line (${fault.line}: ${fault.text})`);
  expect(await page.locator('#gutter .wrong').count() > 0, 'the line is marked');
  expect(Number(await page.locator('#gutter .wrong').first().innerText()) === fault.line, 'where it is');
  await area.fill(good.replace('#define AGE 44', '#define AGE 30'));
  await waitFor(page, (before) => window.tendrilViewer.ready && window.tendrilViewer.segments !== before, segments);
  expect((await ask(page, (viewer) => viewer.faults)).length === 0, 'mended, it grows again');

  await area.fill('#define STEPS 60\nderivation length: STEPS\nAxiom: A\nA --> F(1) A A A\n');
  await page.waitForTimeout(300);
  const frames = await ask(page, (viewer) => viewer.frames);
  await page.locator('#regrow').click();
  await waitFor(page, () => window.tendrilViewer.fault !== '');
  const said = await ask(page, (viewer) => viewer.fault);
  expect(/limit|module|memory|stopped|segments/i.test(said), `a rule that runs away is stopped (${said})`);
  await setPlaying(page, true);
  await waitFor(page, (before) => window.tendrilViewer.frames > before, frames);
  await area.fill(good);
  await waitFor(page, (before) => window.tendrilViewer.ready && window.tendrilViewer.segments === before
    && window.tendrilViewer.fault === '', segments);
  await page.locator('#tab-plants').click();
}

async function checkSaving(page) {
  await openItem(page, 'wheat');
  await setPlaying(page, false);
  await ask(page, (viewer) => viewer.set({ wind: 6 }));
  await ask(page, (viewer) => viewer.run(1));
  const glb = Uint8Array.from(await page.evaluate(async () => Array.from(await window.tendrilViewer.glb())));
  const report = await webPackage('gltf-validator').validateBytes(glb);
  expect(report.issues.numErrors === 0, `the saved animation is valid glTF (${report.issues.numErrors} errors)`);
  expect(report.info.animationCount === 1, 'and has an animation');
  await page.locator('#tab-save').click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#picture').click()]);
  const png = await readFile(await download.path());
  expect(png.toString('latin1', 1, 4) === 'PNG' && png.length > 5000, 'a picture can be saved');
  await page.locator('#tab-plants').click();
}

async function checkLink(browser, page) {
  await openItem(page, 'orchid');
  await ask(page, (viewer) => viewer.set({ stiffness: 0.5, wind: 3, windTurn: 45 }));
  const state = (viewer) => ({ name: viewer.name, settings: viewer.settings, view: viewer.view, segments: viewer.segments });
  const link = await ask(page, (viewer) => viewer.link());
  const [before, second] = [await ask(page, state), await browser.newPage({ viewport: WINDOW })];
  watch(second);
  await second.goto(link);
  await ready(second);
  const then = await ask(second, state);
  expect(JSON.stringify(then.settings) === JSON.stringify(before.settings), 'a link restores what was changed');
  expect(then.name === before.name && then.segments === before.segments, 'and what was grown');
  expect(distance(then.view, before.view) < 1e-6, 'and the view');
  await second.close();
}

async function checkPhone(page) {
  await page.setViewportSize(PHONE);
  await page.waitForTimeout(300);
  const fits = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth <= window.innerWidth,
    high: document.documentElement.scrollHeight <= window.innerHeight,
    share: document.getElementById('view').clientHeight / window.innerHeight,
  }));
  expect(fits.wide && fits.high, 'a phone shows the page without scrolling');
  expect(fits.share > 0.35, `the picture has ${fits.share.toFixed(2)} of a phone's height`);
  await picture(page, 'phone');
  await page.setViewportSize(WINDOW);
}

// ---- pictures -----------------------------------------------------------------------------------

/** Five views; what each opens, changes and shows before its picture is taken. */
const VIEWS = [
  { name: 'rose', item: 'rose', changes: {}, seconds: 0, overlays: [] },
  { name: 'wind', item: 'raceme', changes: { wind: 8 }, seconds: 1, overlays: [] },
  { name: 'moments', item: 'orchid', changes: { wind: 5 }, seconds: 2, overlays: ['moment', 'centre'] },
  { name: 'segments', item: 't-plant', changes: {}, seconds: 0, overlays: ['skeleton'] },
  { name: 'sideways', item: 'potted-sunflower', changes: { tilt: 60 }, seconds: 2, overlays: ['velocity'] },
];
/** Least correlation of brightness with the picture that a person has looked at. */
const LIKENESS = 0.9;

// in the page: how alike two pictures are when one steps back from them, from -1 to 1
async function likeness([first, second]) {
  const [width, height] = [48, 32];
  const grey = async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [width, height];
    const pen = canvas.getContext('2d', { willReadFrequently: true });
    pen.imageSmoothingQuality = 'high';
    pen.drawImage(image, 0, 0, width, height);
    const { data } = pen.getImageData(0, 0, width, height);
    const values = Array.from({ length: width * height }, (_, k) =>
      0.3 * data[4 * k] + 0.6 * data[4 * k + 1] + 0.1 * data[4 * k + 2]);
    // sky and ground are the same in all pictures: what differs from the middle of its row counts
    return values.map((v, k) => {
      const row = Math.floor(k / width) * width;
      const sorted = values.slice(row, row + width).sort((x, y) => x - y);
      return v - sorted[width / 2];
    });
  };
  const [a, b] = [await grey(first), await grey(second)];
  const dot = (u, v) => u.reduce((sum, x, k) => sum + x * v[k], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

async function checkPictures(page) {
  await setPlaying(page, false);
  await page.addStyleTag({ content: '#figures, #notice { visibility: hidden; }' });
  await page.locator('#tab-show').click();
  for (const { name, item, changes, seconds, overlays } of VIEWS) {
    await openItem(page, item);
    await setDrawing(page, false);
    await ask(page, (viewer, c) => viewer.set(c), changes);
    for (const overlay of overlays) {
      await page.locator(`#overlays input[value=${overlay}]`).check();
    }
    await ask(page, (viewer, s) => viewer.run(s), seconds);
    await setDrawing(page, true);
    await page.waitForTimeout(1500); // until shadows are drawn
    const picture = await page.locator('#view').screenshot({ type: 'jpeg', quality: 80 });
    await comparePicture(page, name, picture);
    for (const overlay of overlays) {
      await page.locator(`#overlays input[value=${overlay}]`).uncheck();
    }
  }
  await page.locator('#tab-plants').click();
}

async function comparePicture(page, name, picture) {
  const kept = path.join(options.references, `${name}.jpg`);
  if (options.renew) {
    await mkdir(options.references, { recursive: true });
    await writeFile(kept, picture);
    return;
  }
  const source = (data) => `data:image/jpeg;base64,${data.toString('base64')}`;
  const alike = await page.evaluate(likeness, [source(await readFile(kept)), source(picture)]);
  expect(alike > LIKENESS, `the picture ${name} is like the one that is kept (${alike.toFixed(3)})`);
}

async function checkGiven(page) {
  const state = await ask(page, (viewer) => ({ segments: viewer.segments, name: viewer.name, fault: viewer.fault }));
  expect(state.segments > 0 && state.fault === '', `the page shows what it was given (${state.name}, ${state.fault})`);
  await setPlaying(page, false);
  await ask(page, (viewer) => viewer.run(0.5));
  expect(await ask(page, (viewer) => viewer.time) > 0.45, 'and it moves');
}

async function picture(page, name) {
  if (options.pictures) {
    await mkdir(options.pictures, { recursive: true });
    await page.screenshot({ path: path.join(options.pictures, `viewer-${name}.png`) });
  }
}

const all = {
  start: checkStart,
  clock: checkClock,
  drag: checkDrag,
  pot: checkPot,
  forces: checkForces,
  sliders: checkSliders,
  editor: checkEditor,
  saving: checkSaving,
  link: (page) => checkLink(browser, page),
  phone: checkPhone,
  scenes: checkScenes,
  ...(options.references && { pictures: checkPictures }),
};
const chosen = options.given ? { given: checkGiven }
  : Object.fromEntries(Object.entries(all).filter(([name]) => !options.only || options.only.split(',').includes(name)));

const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: WINDOW });
  watch(page);
  await page.goto(address);
  await ready(page);
  for (const [name, check] of Object.entries(chosen)) {
    const begin = Date.now();
    try {
      await setDrawing(page, !BLIND.includes(name));
      await check(page);
    } catch (error) {
      expect(false, `${name}: ${error.message.split('\n')[0]}`);
    }
    console.log(`${name}: ${((Date.now() - begin) / 1000).toFixed(1)} s`);
  }
} finally {
  await browser.close();
}

console.log(`${file}: ${checks - faults.length} of ${checks} checks passed`);
process.exit(faults.length === 0 ? 0 : 1);

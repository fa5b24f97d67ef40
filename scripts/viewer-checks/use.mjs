// SPDX-License-Identifier: MIT
// What a visitor does with the page: chooses, sets, writes, drops, keeps, shares; with the mouse,
// with keys alone, on a phone, by day and by night.

import { readFile } from 'node:fs/promises';
import { PHONE, checkPhone } from '../page-checks.mjs';
import { webPackage } from '../web-tools.mjs';
import {
  WINDOW, ask, checks, distance, drawOnce, drop, expect, openItem, ready, run, setDrawing, setPlaying, waitFor,
} from './page.mjs';

export async function checkStart(page) {
  console.log(`first picture after ${(await firstPicture(page) / 1000).toFixed(1)} s`);
  expect(await page.locator('#fault').isHidden(), await page.locator('#fault').innerText());
  const first = await ask(page, (viewer) => ({ playing: viewer.playing, segments: viewer.segments, dofs: viewer.dofs }));
  expect(first.playing && first.segments > 0 && first.dofs >= first.segments, 'a plant is there and moves');
  await waitFor(page, () => window.tendrilViewer.time > 0.1);
  const meshes = await ask(page, (viewer) => viewer.meshes);
  const organs = meshes.filter(({ name }) => name !== 'stem');
  expect(meshes.filter(({ name }) => name === 'stem').length === 1, 'stems are one mesh');
  expect(organs.length > 0 && organs.length < 20 && organs.reduce((sum, { instances }) => sum + instances, 0) > 500,
    `organs of one shape are drawn at once (${organs.length} shapes)`);
  await checkSketch(page);
  await checkDistance(page);
  const items = await ask(page, (viewer) => viewer.items);
  expect(await page.locator('#gallery button').count() === items.length, `the gallery has ${items.length} entries`);
  expect(await page.locator('#gallery img').count() > 10, 'the gallery has pictures');
  expect((await page.locator('#plants h2').allInnerTexts()).includes('Strands'),
    'scenes of strands have a heading of their own');
  await page.locator('#plants button[data-name=monopodial]').click();
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.name === 'monopodial');
  expect(await page.locator('#title').innerText() === 'Monopodial', 'the title follows');
}

/** ms from the call of the page until a plant was drawn. */
async function firstPicture(page) {
  await waitFor(page, () => performance.getEntriesByName('first picture').length > 0);
  return page.evaluate(() => performance.getEntriesByName('first picture')[0].startTime);
}

// in the page, before its own scripts: what it had done when its first picture was drawn
function countBeforePicture() {
  const { prototype } = WebGL2RenderingContext;
  const { linkProgram } = prototype;
  const mark = performance.mark.bind(performance);
  let programs = 0;
  prototype.linkProgram = function link(program) {
    programs++;
    linkProgram.call(this, program);
  };
  performance.mark = (name) => {
    window.beforePicture = { programs, images: document.images.length };
    return mark(name);
  };
}

/** The first picture waits for nothing that can come later; then that comes. */
async function checkSketch(page) {
  const other = await page.context().newPage();
  await other.addInitScript(countBeforePicture);
  await other.goto(page.url());
  await waitFor(other, () => window.beforePicture);
  const { programs, images } = await other.evaluate(() => window.beforePicture);
  expect(programs <= 5, `the first picture is drawn with few programs (${programs})`);
  expect(images === 0, `the gallery comes after it (${images} pictures)`);
  await waitFor(other, () => window.tendrilViewer.frames > 2 && document.images.length > 10);
  await other.close();
}

/** Plants that are small on the screen are drawn with fewer triangles, and finely again when they are not. */
async function checkDistance(page) {
  const first = await ask(page, (viewer) => viewer.triangles);
  await setPlaying(page, false);
  await setDrawing(page, true);
  await waitFor(page, (few) => window.tendrilViewer.triangles > few, first);
  await setDrawing(page, false);
  const near = await ask(page, (viewer) => viewer.triangles);
  expect(near >= 10 * first, `the first picture has fewer triangles than one of a plant that stands still (${first} of ${near})`);
  const { x, y, width, height } = await page.locator('#view').boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  const wheel = async (by, until) => {
    for (let k = 0; k < 40 && !(await ask(page, until, near)); k++) {
      await page.mouse.wheel(0, by);
      await page.waitForTimeout(60);
    }
    return ask(page, (viewer) => viewer.triangles);
  };
  const far = await wheel(240, (viewer, all) => viewer.triangles < all);
  expect(far > 0 && far <= near / 10, `from afar there are fewer triangles (${far} of ${near})`);
  const again = await wheel(-240, (viewer, all) => viewer.triangles === all);
  expect(again === near, `near they are all there again (${again} of ${near})`);
  await setPlaying(page, true);
}

// ---- settings -----------------------------------------------------------------------------------

/** The first two both colour the plants: the second takes the place of the first. */
const OVERLAYS = ['moment', 'clusters', 'skeleton', 'velocity', 'centre', 'wind', 'contacts'];

export async function checkSettings(page) {
  await openItem(page, 'fern');
  const gravity = () => ask(page, (viewer) => viewer.settings.gravity);
  await page.locator('#tab-forces').click();
  await page.locator('#set-gravity').fill('20');
  expect(Math.abs(await gravity() - 20) < 0.01, 'a slider sets gravity');
  await page.locator('#set-gravity').blur();
  await page.keyboard.press('Control+z');
  expect(Math.abs(await gravity() - 9.81) < 0.01, 'Ctrl+Z undoes it');
  await page.keyboard.press('Control+Shift+z');
  expect(Math.abs(await gravity() - 20) < 0.01, 'Ctrl+Shift+Z makes it again');
  await page.locator('#set-integrator').selectOption('1');
  await page.locator('#undo').click();
  await page.locator('#undo').click();
  const settings = await ask(page, (viewer) => viewer.settings);
  expect(settings.integrator === 0 && Math.abs(settings.gravity - 9.81) < 0.01, 'the button undoes one after the other');
  expect(await page.locator('#undo').isDisabled(), 'until nothing is left to undo');
}

export async function checkOverlays(page) {
  await openItem(page, 'fern');
  await page.locator('#tab-show').click();
  for (const overlay of OVERLAYS) {
    await page.locator(`#overlays input[value=${overlay}]`).check();
  }
  expect((await ask(page, (viewer) => viewer.overlays)).length === OVERLAYS.length - 1, 'overlays can be shown');
  await run(page, 0.5);
  const { energy, segment } = await ask(page, (viewer) => viewer.plotted);
  expect(energy > 0 && segment > 0, 'energy and a segment are plotted');
  await drawOnce(page);
  for (const overlay of OVERLAYS) {
    await page.locator(`#overlays input[value=${overlay}]`).uncheck();
  }
  await page.locator('#tab-plants').click();
}

// ---- dropping -----------------------------------------------------------------------------------

const MODEL = 'derivation length: 1\nAxiom: F(0.2) F(0.2) F(0.2) F(0.2)\n';
const SCENE = 'name: Two of mine\nobjects:\n  - {plant: mine.lsys}\n  - {plant: mine.lsys, position: [0.5, 0, 0]}\n';

export async function checkDrop(page) {
  await setPlaying(page, false);
  await drop(page, [['mine.lsys', MODEL]]);
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.name === 'mine');
  const segments = await ask(page, (viewer) => viewer.segments);
  expect(segments > 0 && segments < 10, `a model that is dropped grows (${segments} segments)`);
  await ask(page, (viewer) => viewer.set({ wind: 8 }));
  await run(page, 0.5);
  const recorded = await page.evaluate(async () => Array.from(await window.tendrilViewer.glb()));
  await drop(page, [['mine.lsys', MODEL], ['two.yaml', SCENE]]);
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.name === 'two');
  expect(await ask(page, (viewer) => viewer.segments) === 2 * segments, 'a scene with its model is simulated');
  expect(await page.locator('#title').innerText() === 'Two of mine', 'under its own name');
  await drop(page, [['run.glb', recorded]]);
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.name === 'run');
  await setPlaying(page, true);
  await waitFor(page, () => window.tendrilViewer.time > 0.1);
  expect(await ask(page, (viewer) => viewer.segments) === 0, 'a recorded run plays, and is not simulated');
  await drawOnce(page);
  await drop(page, [['notes.txt', 'nothing']]);
  await waitFor(page, () => /expected a model/.test(window.tendrilViewer.fault));
  await openItem(page, 'fern');
}

const TOUCHING = `name: Rope on a ball
objects:
  - name: rope
    solver: rod
    position: [0, 0.35, 0]
    strand: {points: [[-0.3, 0, 0], [0.3, 0, 0]], segments: 20, radius: 0.01, start: {held: free},
             tip_mass: 0.05, bodies: [{at: 0, mass: 0.05, size: [0.06, 0.04, 0.05]}]}
colliders:
  - plane: {}
  - sphere: {radius: 0.15, position: {keys: [[0, [0, 0.15, 0]], [2, [0.2, 0.15, 0]]]}}
  - capsule: {radius: 0.03, length: 0.2, position: [-0.4, 0.03, 0.2], rotation: {axis: [0, 0, 1], degrees: 90}}
  - box: {size: [0.1, 0.2, 0.1], position: [0.5, 0.1, 0.2]}
`;

export async function checkColliders(page) {
  await setPlaying(page, false);
  await drop(page, [['touching.yaml', TOUCHING]]);
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.name === 'touching');
  const drawn = (await ask(page, (viewer) => viewer.meshes)).map(({ name }) => name);
  const count = (name) => drawn.filter((one) => one === name).length;
  expect(count('collider') === 3 && count('plane') === 1, `colliders are drawn (${drawn})`);
  expect(count('fruit') > 0, 'and so are the bodies of a strand');
  const ball = () => ask(page, (viewer) => viewer.collider(1));
  const before = await ball();
  await run(page, 1);
  const after = await ball();
  expect(Math.abs(after[0] - before[0] - 0.1) < 0.01 && after[1] === before[1], `they move as their keys say (${before}; ${after})`);
  await checkContacts(page);
  const glb = Buffer.from(await page.evaluate(async () => Array.from(await window.tendrilViewer.glb())));
  const { issues } = await webPackage('gltf-validator').validateBytes(new Uint8Array(glb));
  const { nodes } = JSON.parse(glb.toString('utf8', 20, 20 + glb.readUInt32LE(12)));
  expect(issues.numErrors === 0 && nodes.some(({ name }) => name === 'collider-1-sphere'), 'an animation has them');
}

async function checkContacts(page) {
  const shown = () => ask(page, (viewer) => viewer.overlays.includes('contacts'));
  const button = page.locator('#contacts');
  expect(!(await shown()) && await button.getAttribute('aria-pressed') === 'false', 'contact forces are not shown at first');
  await button.click();
  expect(await shown() && await button.getAttribute('aria-pressed') === 'true', 'a button shows contact forces');
  expect(await page.locator('#overlays input[value=contacts]').isChecked(), 'as the box among the overlays does');
  await run(page, 0.2);
  await drawOnce(page);
  await page.keyboard.press('c');
  expect(!(await shown()) && await button.getAttribute('aria-pressed') === 'false', 'a key hides them');
}

// ---- keeping ------------------------------------------------------------------------------------

export async function checkSaving(page) {
  await openItem(page, 'fern');
  await setPlaying(page, false);
  await ask(page, (viewer) => viewer.set({ wind: 6 }));
  await run(page, 1);
  const glb = Uint8Array.from(await page.evaluate(async () => Array.from(await window.tendrilViewer.glb())));
  const report = await webPackage('gltf-validator').validateBytes(glb);
  expect(report.issues.numErrors === 0, `the saved animation is valid glTF (${report.issues.numErrors} errors)`);
  expect(report.info.animationCount === 1, 'and has an animation');
  await page.locator('#tab-save').click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#picture').click()]);
  const png = await readFile(await download.path());
  expect(png.toString('latin1', 1, 4) === 'PNG' && png.length > 5000, 'a picture can be saved');
  await checkVideo(page);
  await page.locator('#tab-plants').click();
}

async function checkVideo(page) {
  const offered = await page.evaluate(() => typeof MediaRecorder !== 'undefined');
  expect(await page.locator('#video').isEnabled() === offered, 'a video is offered where the browser records one');
  if (!offered) {
    return;
  }
  await setPlaying(page, true);
  await page.locator('#video').click();
  const frames = await ask(page, (viewer) => viewer.frames);
  await waitFor(page, (before) => window.tendrilViewer.frames > before + 8, frames);
  const shown = await page.locator('#recording').textContent();
  expect(/^\d+:\d\d$/.test(shown), `while it is recorded, the time is shown (${shown})`);
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#video').click()]);
  const data = await readFile(await download.path());
  const webm = data.readUInt32BE(0) === 0x1a45dfa3; // EBML
  expect(await page.locator('#recording').isHidden(), 'and no longer');
  const mp4 = data.toString('latin1', 4, 8) === 'ftyp';
  const name = download.suggestedFilename();
  expect(data.length > 1000 && (name.endsWith('.webm') ? webm : mp4), `a video is recorded (${name}, ${data.length} bytes)`);
  await setPlaying(page, false);
}

const tips = (viewer) => Array.from({ length: viewer.segments }, (_, k) => viewer.tip(k)).flat();

export async function checkLink(page) {
  await openItem(page, 'potted-sunflower');
  await setPlaying(page, false);
  await ask(page, (viewer) => viewer.set({ stiffness: 0.5, wind: 3, windTurn: 45, gust: 0.4 }));
  await run(page, 1.5);
  const state = (viewer) => ({
    name: viewer.name, settings: viewer.settings, view: viewer.view, segments: viewer.segments, time: viewer.time });
  const { link, complete } = await ask(page, (viewer) => viewer.link());
  expect(complete, `a link of ${link.length} characters holds the motion`);
  const before = await ask(page, state);
  const second = await page.context().newPage();
  checks.watch(second);
  await second.setViewportSize(WINDOW);
  await second.goto(link);
  await ready(second);
  await setDrawing(second, false);
  const then = await ask(second, state);
  expect(JSON.stringify(then.settings) === JSON.stringify(before.settings), 'a link restores what was changed');
  expect(then.name === before.name && then.segments === before.segments, 'and what was grown');
  expect(distance(then.view, before.view) < 1e-6, 'and the view');
  const apart = async () => distance(await ask(page, tips), await ask(second, tips));
  expect(then.time === before.time && await apart() < 1e-12, 'and the motion, as it is');
  await Promise.all([run(page, 0.5), run(second, 0.5)]);
  expect(await apart() < 1e-12, 'and as it goes on');
  await checkWrongMotion(page, second, link);
  await checkLargeLink(page, second);
  await second.close();
}

const noteOf = async (page) => {
  await waitFor(page, () => !document.getElementById('note').hidden);
  return page.locator('#note').innerText();
};

const follow = (page, link) => page.evaluate((hash) => { location.hash = hash; }, link.slice(link.indexOf('#')));

async function checkWrongMotion(page, second, other) {
  await openItem(page, 'fern');
  const { link } = await ask(page, (viewer) => viewer.link());
  await follow(second, `${link.split('.').slice(0, -1).join('.')}.${other.split('.').at(-1)}`);
  expect(/another version/.test(await noteOf(second)), 'motion that is not of the plant is refused');
  expect(await ask(second, (viewer) => viewer.name) === 'fern', 'and the plant is shown at rest');
}

async function checkLargeLink(page, second) {
  await setDrawing(page, false);
  await setDrawing(second, false);
  await openItem(page, 'wheat-field-waves');
  await run(page, 0.1);
  const { link, complete } = await ask(page, (viewer) => viewer.link());
  expect(!complete && link.length < 4000, `a scene that is too large has a short link (${link.length} characters)`);
  await follow(second, link);
  await waitFor(second, () => window.tendrilViewer.ready && window.tendrilViewer.name === 'wheat-field-waves');
  await waitFor(second, () => /was made at/.test(document.getElementById('note').textContent));
  expect(/at rest/.test(await noteOf(second)), 'and the page says what it lacks');
  await openItem(page, 'fern');
}

// ---- reach --------------------------------------------------------------------------------------

const CONTROLS = ['play', 'single', 'reset', 'speed', 'undo', 'twist', 'shake', 'tab-plants', 'tab-shape', 'tab-forces', 'tab-scene', 'tab-show', 'tab-write', 'tab-save'];

/** A finger on a tab. On a busy computer a tap can last so long that the browser takes it for a press. */
async function tapTab(page, panel) {
  for (let tries = 0; tries < 4 && !(await page.locator(`#${panel}`).isVisible()); tries++) {
    await page.locator(`#tab-${panel}`).tap();
    await page.waitForTimeout(100);
  }
  expect(await page.locator(`#${panel}`).isVisible(), `a finger opens the tab ${panel}`);
}

export async function checkSmall(page) {
  await openItem(page, 'potted-sunflower');
  await checkPhone(page, checks, 0.35);
  // in the page: what a finger meets in the middle of a control is that control
  const met = (id) => {
    const control = document.getElementById(id);
    const { left, top, right, bottom, width, height } = control.getBoundingClientRect();
    const inside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && width >= 28 && height >= 28;
    return inside && control.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  };
  const height = (text) => page.evaluate((said) => {
    document.getElementById('clock').textContent = said;
    return document.getElementById('transport').clientHeight;
  }, text);
  await setPlaying(page, false);
  const low = await height('0.00 s');
  expect(await height('12.34 s') === low && await height('1234.56 s') === low, 'the clock of a long run stays in its row on a phone');
  for (const id of CONTROLS) {
    expect(await page.evaluate(met, id), `${id} can be reached on a phone`);
  }
  for (const [tab, last] of [['shape', '#shape .define:last-child input[type=number]'], ['forces', '#set-solver'], ['scene', '#scene-seconds'], ['show', '#plots figure:last-child canvas'], ['write', '#regrow'], ['save', '#link']]) {
    await tapTab(page, tab);
    await page.locator(last).scrollIntoViewIfNeeded();
    const box = await page.locator(last).boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= PHONE.width && box.y + box.height <= PHONE.height,
      `the end of the panel ${tab} can be reached on a phone`);
    const wide = await page.locator(`#${tab}`).evaluate((panel) => panel.scrollWidth <= panel.clientWidth);
    expect(wide, `the panel ${tab} has no width to scroll`);
  }
  await tapTab(page, 'plants');
  await page.setViewportSize(WINDOW);
}

export async function checkKeyboard(page) {
  await openItem(page, 'fern');
  await setPlaying(page, false);
  const focused = () => page.evaluate(() => {
    const { activeElement } = document;
    return activeElement.id || activeElement.dataset.name || activeElement.tagName;
  });
  // from the top of the page
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
  });
  const met = new Set();
  for (let k = 0; k < 40; k++) {
    await page.keyboard.press('Tab');
    met.add(await focused());
  }
  for (const id of ['view', 'play', 'single', 'reset', 'speed', 'twist', 'contacts', 'tab-plants', 'rose']) {
    expect(met.has(id), `the Tab key reaches ${id} (${[...met]})`);
  }
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  expect(outline !== 'none', 'what has the focus is marked');
  await page.locator('#tab-plants').focus();
  for (const panel of ['shape', 'forces', 'scene', 'show', 'write', 'save', 'plants']) {
    await page.keyboard.press('ArrowRight');
    expect(await page.locator(`#${panel}`).isVisible(), `the arrow keys reach the tab ${panel}`);
  }
  await page.locator('#plants button[data-name=bamboo]').focus();
  await page.keyboard.press('Enter');
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.name === 'bamboo');
  const labels = await page.evaluate(() => [...document.querySelectorAll('button, input, select, textarea, canvas')]
    .filter((one) => !(one.textContent.trim() || one.getAttribute('aria-label') || one.labels?.[0]?.textContent.trim()
      || one.closest('[aria-hidden=true]')))
    .map(({ id, tagName }) => id || tagName));
  expect(labels.length === 0, `everything has a label (${labels})`);
}

// in the page: how far a text stands out from the paper behind it, as WCAG reckons
function contrasts() {
  const numbers = (color) => color.match(/[\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = numbers(color).map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = (one) => {
    const color = getComputedStyle(one).backgroundColor;
    return (numbers(color)[3] ?? 1) > 0.99 ? color : paper(one.parentElement);
  };
  return ['#title', '#text', '#clock', '#tab-plants', '#tab-save', '#gallery h2', '#gallery button', '#reset', '#speed'].map((name) => {
    const one = document.querySelector(name);
    const [a, b] = [light(getComputedStyle(one).color), light(paper(one))];
    return [name, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  });
}

export async function checkScheme(page) {
  await openItem(page, 'fern');
  await setPlaying(page, false);
  const shades = [];
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme });
    for (const [name, contrast] of await page.evaluate(contrasts)) {
      expect(contrast >= 4.5, `${colorScheme}: ${name} can be read (${contrast.toFixed(2)})`);
    }
    await drawOnce(page);
    shades.push(await cornerShade(page));
  }
  expect(shades[0] < 0.6 * shades[1], `the sky is darker by night (${shades})`);
}

/** Mean brightness of a corner of the picture, 0 to 255. */
async function cornerShade(page) {
  const { x, y, width } = await page.locator('#view').boundingBox();
  const shot = await page.screenshot({ clip: { x: x + width - 60, y: y + 20, width: 40, height: 20 } });
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const pen = new OffscreenCanvas(image.width, image.height).getContext('2d');
    pen.drawImage(image, 0, 0);
    const { data: pixels } = pen.getImageData(0, 0, image.width, image.height);
    return pixels.reduce((sum, value, k) => sum + (k % 4 < 3 ? value : 0), 0) / (0.75 * pixels.length);
  }, shot.toString('base64'));
}

export async function checkGiven(page) {
  await drawOnce(page);
  const state = await ask(page, (viewer) => ({ segments: viewer.segments, name: viewer.name, fault: viewer.fault }));
  expect(state.segments > 0 && state.fault === '', `the page shows what it was given (${state.name}, ${state.fault})`);
  await setPlaying(page, false);
  await run(page, 0.5);
  expect(await ask(page, (viewer) => viewer.time) > 0.45, 'and it moves');
  await drawOnce(page);
}

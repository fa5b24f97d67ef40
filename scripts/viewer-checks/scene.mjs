// SPDX-License-Identifier: MIT
// A scene that is edited by hand: things come, move and go, keys on the timeline, and the YAML follows,
// with all comments.

import { readFile } from 'node:fs/promises';
import { ask, drop, expect, frames, openItem, run, screenOf, setPlaying, waitFor } from './page.mjs';

const SCENE = `# the garden
name: Garden                  # a title
objects:
  - name: left                # the first
    plant: mine.lsys
    position: [0, 0, 0]       # m
  - {name: right, plant: mine.lsys, position: [0.5, 0, 0]}
loads:
  - pull: {object: right, by: [0.1, 0, 0], stiffness: 10, end: 2}   # a hand
record:
  duration: 4
`;
const MODEL = 'derivation length: 1\nAxiom: F(0.2) F(0.2) F(0.2) F(0.2)\n';

const textOf = (page) => ask(page, (viewer) => viewer.text());
const grown = (page, pattern) => waitFor(page, ([source]) =>
  window.tendrilViewer.ready && new RegExp(source).test(window.tendrilViewer.text()), [pattern.source]);

/** Drags with the mouse, from the middle of an element, by so many pixels. */
async function dragBy(page, locator, dx, dy) {
  await waitFor(page, () => window.tendrilViewer.ready);
  await frames(page, 3);
  const { x, y, width, height } = await locator.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + dx, y + height / 2 + dy, { steps: 4 });
  await page.mouse.up();
}

async function add(page, kind) {
  await page.locator('#scene-new').selectOption(kind);
  await page.locator('#scene-add').click();
}

export async function checkSceneEditing(page) {
  await setPlaying(page, false);
  await drop(page, [['mine.lsys', MODEL], ['garden.yaml', SCENE]]);
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.name === 'garden');
  const segments = await ask(page, (viewer) => viewer.segments);
  await page.locator('#tab-scene').click();
  expect((await page.locator('.things .name').allInnerTexts()).join() === 'Plant left,Plant right,Pull of right',
    'the scene is listed');
  await checkFields(page);
  await checkTimeline(page);
  await checkColliders(page);
  await checkRotation(page);
  for (const kind of KINDS) {
    await checkKind(page, kind);
  }
  await page.locator('#thing-objects-1 + .remove').click();
  await waitFor(page, (all) => window.tendrilViewer.ready && window.tendrilViewer.segments < all, segments);
  const bare = await textOf(page);
  expect(!/right|pull/.test(bare), 'an object goes with what pulls it');
  expect(/^# the garden\nname: Garden {18}# a title\n/.test(bare) && /left {16}# the first\n/.test(bare), 'all else stays, comments in their columns');
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#scene-download').click()]);
  expect(download.suggestedFilename() === 'garden.yaml' && await readFile(await download.path(), 'utf8') === bare, 'the scene can be downloaded');
  await page.locator('#undo').click();
  await waitFor(page, (all) => window.tendrilViewer.ready && window.tendrilViewer.segments === all, segments);
  expect(/right/.test(await textOf(page)), 'and what went can come back');
  await checkModelAlone(page);
}

async function checkFields(page) {
  const base = () => ask(page, (viewer) => viewer.base(0));
  await page.locator('#thing-objects-0').click();
  await page.getByLabel('Position x').fill('0.25');
  await grown(page, /position: \[0\.25, 0, 0\] {7}# m/);
  expect(Math.abs((await base())[0] - 0.25) < 1e-6, 'a number that is typed moves the plant at once');
  const [x] = await screenOf(page, await base());
  await dragBy(page, page.locator('#handle'), 60, 0);
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.base(0)[0] > 0.26);
  const [to] = await screenOf(page, await base());
  expect(Math.abs(to - x - 60) < 8, `its handle is dragged over the ground (${to - x} of 60 pixels)`);
}

async function checkTimeline(page) {
  await page.locator('#thing-loads-0').click();
  const before = await page.locator('#at-loads-0-end').getAttribute('aria-label');
  await dragBy(page, page.locator('#at-loads-0-end'), 40, 0);
  await waitFor(page, () => window.tendrilViewer.ready && !/end: 2\}/.test(window.tendrilViewer.text()));
  expect(/end: 2\.\d+\} {3}# a hand/.test(await textOf(page)), `the end of a pull is dragged (${before})`);
  await run(page, 1);
  await page.locator('.field', { hasText: 'By' }).locator('.key-now').click();
  await grown(page, /by: \{keys: \[\[0, \[0\.1, 0, 0\]\], \[1, \[0\.1, 0, 0\]\]\]\}/);
  await page.getByLabel('By y').fill('-0.2');
  await page.keyboard.press('Enter');
  await grown(page, /\[1, \[0\.1, -0\.2, 0\]\]/);
  await page.locator('#at-loads-0-by-1').focus();
  await page.keyboard.press('ArrowRight');
  await grown(page, /\[1\.05, \[0\.1, -0\.2, 0\]\]/);
  await page.keyboard.press('Delete');
  await grown(page, /by: \{keys: \[\[0, \[0\.1, 0, 0\]\]\]\}/);
  expect(await page.locator('.timeline .key').count() === 1, 'keys come, move in time and go');
}

async function checkColliders(page) {
  await add(page, 'sphere');
  await grown(page, /\ncolliders:\n {2}- sphere: \{radius: /);
  expect((await ask(page, (viewer) => viewer.meshes)).some(({ name }) => name === 'collider'), 'a ball is added');
  await add(page, 'wind');
  await grown(page, /\n {2}- wind: \{velocity: \[3, 0, 0\]/);
  await page.locator('#tab-write').click();
  await page.locator('#tab-scene').click();
  await page.locator('#thing-loads-1 + .remove').click();
  await waitFor(page, () => window.tendrilViewer.ready && !/wind/.test(window.tendrilViewer.text()));
}

/** All that can be added: its list, its number in it, a field that says where it is or leads, and how the text then has it. */
const KINDS = [
  ['plant', 'objects-2', 'Position x', /position: \[0\.7, /],
  ['strand', 'objects-2', 'Position x', /position: \[0\.7, /],
  ['wind', 'loads-1', 'Velocity x', /velocity: \[0\.7, /],
  ['pull', 'loads-1', 'By x', /by: \[0\.7, /],
  ['push', 'loads-1', 'Force x', /force: \[0\.7, /],
  ['plane', 'colliders-1', 'Position x', /position: \[0\.7, /],
  ['sphere', 'colliders-1', 'Position x', /position: \[0\.7, /],
  ['capsule', 'colliders-1', 'Position x', /position: \[0\.7, /],
  ['box', 'colliders-1', 'Position x', /position: \[0\.7, /],
];

async function checkKind(page, [kind, thing, field, written]) {
  const before = await textOf(page);
  await add(page, kind);
  await page.locator(`#thing-${thing}[aria-expanded=true]`).waitFor();
  await page.getByLabel(field, { exact: true }).fill('0.7');
  await page.keyboard.press('Enter');
  await grown(page, written);
  await page.locator(`#thing-${thing} + .remove`).click();
  await waitFor(page, (text) => window.tendrilViewer.ready && window.tendrilViewer.text() === text, before);
  expect(await ask(page, (viewer) => viewer.fault) === '', `${kind}: added, moved and removed`);
}

async function checkRotation(page) {
  const tip = () => ask(page, (viewer) => viewer.tip(3));
  const { x, z } = await ask(page, (viewer) => { const [bx, , bz] = viewer.base(0); return { x: bx, z: bz }; });
  await page.locator('#thing-objects-0').click();
  const turn = async (part, value, written) => {
    await page.getByLabel(`Rotation ${part}`, { exact: true }).fill(value);
    await page.keyboard.press('Enter');
    await grown(page, written);
  };
  await turn('x', '1', /rotation: \{axis: \[1, 1, 0\], degrees: 0\}/);
  await turn('y', '0', /rotation: \{axis: \[1, 0, 0\], degrees: 0\}/);
  await turn('degrees', '90', /rotation: \{axis: \[1, 0, 0\], degrees: 90\}/);
  const [tx, ty, tz] = await tip();
  expect(Math.abs(tx - x) < 0.01 && ty < 0.1 && tz - z > 0.7, `it lies along +Z when it is turned (${tx - x}, ${ty}, ${tz - z})`);
  await page.locator('.field.turn .key-now').click();
  await grown(page, /rotation:(.|\n)*keys:? ?\[?(.|\n)*degrees: 90(.|\n)*degrees: 90/);
  expect(await page.locator('[id^=at-objects-0-rotation]').count() === 2, 'a rotation has keys on the timeline');
  for (let text = await textOf(page); /rotation/.test(text); text = await textOf(page)) {
    await page.locator('#undo').click();
    await waitFor(page, (before) => window.tendrilViewer.ready && window.tendrilViewer.text() !== before, text);
  }
}

async function checkModelAlone(page) {
  await openItem(page, 'fern');
  await add(page, 'plane');
  await grown(page, /name: Fern\nobjects:\n {2}- name: fern\n {4}plant: fern\.lsys\ncolliders:\n {2}- plane:/);
  expect(await page.locator('#gallery button[aria-current=true]').innerText() === 'Fern', 'a scene that is made joins the gallery');
  await page.locator('#undo').click();
  await waitFor(page, () => window.tendrilViewer.ready && /lsystem: fern/.test(window.tendrilViewer.text()));
  expect(await ask(page, (viewer) => viewer.name) === 'fern', 'a model alone becomes a scene, and one again');
  await page.locator('#tab-plants').click();
}

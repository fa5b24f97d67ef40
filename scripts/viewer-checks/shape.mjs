// SPDX-License-Identifier: MIT
// Changing what is grown without writing: sliders of a model's numbers, presets, one way back for all;
// and what the hand shows.

import { fingers } from '../page-checks.mjs';
import {
  ask, distance, drawOnce, expect, frames, openItem, pointerArrived, run, screenOf, setPlaying, tipOf, waitFor,
} from './page.mjs';

const segmentsOf = (page) => ask(page, (viewer) => viewer.segments);
const textOf = (page) => ask(page, (viewer) => viewer.text());

/** Drags the knob of a slider with the mouse, to a share of its way. */
async function dragSlider(page, slider, to) {
  await slider.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await slider.boundingBox();
  const [low, high, value] = await slider.evaluate((one) => [one.min, one.max, one.value].map(Number));
  const at = (share) => x + 8 + share * (width - 16);
  await page.mouse.move(at((value - low) / (high - low)), y + height / 2);
  await page.mouse.down();
  await page.mouse.move(at(to), y + height / 2, { steps: 4 });
  return () => page.mouse.up();
}

/** The plant grows while the slider is still held, the text follows, and one step goes back. */
export async function checkSliders(page) {
  await openItem(page, 'monopodial');
  await setPlaying(page, false);
  await page.locator('#tab-shape').click();
  const [segments, text] = [await segmentsOf(page), await textOf(page)];
  const age = page.getByLabel('Age', { exact: true });
  const [low, high] = await age.evaluate((one) => [Number(one.min), Number(one.max)]);
  expect(low === 12 && high === 48, `a comment says how far a slider goes (${low} to ${high})`);
  const stout = page.getByLabel('Stout', { exact: true });
  expect(await page.locator('#shape .define').count() === 8, 'every number with a name has a slider');
  const letGo = await dragSlider(page, age, 0.3);
  await waitFor(page, (before) => window.tendrilViewer.ready && window.tendrilViewer.segments < before, segments);
  await letGo();
  await waitFor(page, () => !document.getElementById('undo').disabled && window.tendrilViewer.ready);
  const [, written] = /#define AGE (\S+) /.exec(await textOf(page));
  expect(/^\d+$/.test(written) && Number(written) < 44, `the text has what the slider says, a whole number (${written})`);
  await page.locator('#tab-write').click();
  await page.locator('#tab-shape').click();
  const young = await segmentsOf(page);
  await page.getByLabel('Stout, as a number').fill('0.875');
  await page.keyboard.press('Enter');
  await waitFor(page, () => window.tendrilViewer.ready && /STOUT 0\.875 /.test(window.tendrilViewer.text()));
  expect(await stout.inputValue() === '0.875', 'a number can be typed');
  await page.locator('#undo').click();
  await waitFor(page, () => window.tendrilViewer.ready && /STOUT 1 /.test(window.tendrilViewer.text()));
  expect(await segmentsOf(page) === young, 'undo takes back what came last');
  await page.locator('#undo').click();
  await waitFor(page, (before) => window.tendrilViewer.ready && window.tendrilViewer.segments === before, segments);
  expect(await textOf(page) === text, 'and the whole drag in one step');
  expect(Number(await age.inputValue()) === 44, 'the slider goes back with it');
  await page.locator('#view').focus();
  await page.keyboard.press('Control+Shift+z');
  await waitFor(page, (before) => window.tendrilViewer.ready && window.tendrilViewer.segments === before, young);
  await checkPresets(page);
  await checkOverridden(page);
}

/** A number of the model that the scene defines anew cannot be moved, and says why. */
async function checkOverridden(page) {
  await openItem(page, 'algae-of-ten-helices');
  await page.locator('#tab-shape').click();
  const fronds = page.getByLabel('Fronds', { exact: true });
  expect(await fronds.isDisabled(), 'a slider that the scene overrides is off');
  expect(/scene defines this anew/.test(await page.locator('#shape .define', { has: fronds }).getAttribute('title')),
    'and says why');
  expect(await page.locator('#shape .define input[type=range]:enabled').count() > 0, 'others of the same model are on');
  await openItem(page, 'algae');
  expect(await fronds.isEnabled(), 'in the model alone it is on');
}

async function checkPresets(page) {
  const settings = () => ask(page, (viewer) => viewer.settings);
  const press = (label) => page.locator('#forces .presets button', { hasText: label }).click();
  const tip = await ask(page, (viewer) => viewer.highest());
  await page.locator('#tab-forces').click();
  await run(page, 0.2);
  const rest = await tipOf(page, tip);
  await press('Gale');
  await run(page, 1);
  const blown = await tipOf(page, tip);
  expect((await settings()).wind >= 17.2 && blown[0] - rest[0] > 0.01, `a gale bends it (${blown[0] - rest[0]} m)`);
  expect(await page.locator('#forces .presets [aria-pressed=true]').allInnerTexts().then((all) =>
    all.join() === 'Gale,As grown,As the scene says'), 'what is in force is marked');
  const beaufort = { 'Light breeze': [1.6, 3.3], 'Fresh breeze': [8, 10.7], Gale: [17.2, 20.7] }; // m/s
  for (const [name, [least, most]] of Object.entries(beaufort)) {
    await press(name);
    const { wind } = await settings();
    expect(wind >= least && wind <= most, `${name} is one by the Beaufort scale (${wind} m/s)`);
  }
  await press('Wilted');
  await press('Fine');
  const { stiffness, step, error } = await settings();
  expect(stiffness === 0.08 && Math.abs(step - 1 / 240) < 1e-9 && error === 0, 'and so are material and accuracy');
  for (const wanted of [18, 18, 9, 3, 18, 0]) {
    await page.locator('#undo').click();
    expect((await settings()).wind === wanted, 'presets are undone one after the other');
  }
  await page.locator('#tab-plants').click();
  await page.locator('#plants button[data-name=fern]').click();
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.name === 'fern');
  await waitFor(page, () => window.tendrilViewer.settings.wind === 3);
  expect(await page.locator('#undo').isDisabled(), 'a plant that is chosen stands in a breeze, which is no change');
}

// ---- hand ---------------------------------------------------------------------------------------

const cursorOf = (page) => page.locator('#view').evaluate((view) => getComputedStyle(view).cursor);

/** Moves the pointer to a tip, again while what was under way when the plant was stopped still moves it. */
async function hoverOver(page, tip) {
  let at;
  for (let k = 0; k < 20 && !(k > 0 && await ask(page, (viewer) => viewer.hovering)); k++) {
    at = await screenOf(page, await tipOf(page, tip));
    await page.mouse.move(...at);
    await pointerArrived(page);
  }
  return at;
}

/** The pointer says what it would do; a pull shows its force; the pot can be shaken with fingers and phones. */
export async function checkHand(page) {
  await openItem(page, 'wheat');
  await setPlaying(page, false);
  const tip = await ask(page, (viewer) => viewer.highest());
  const box = await page.locator('#view').boundingBox();
  await page.mouse.move(box.x + 12, box.y + 12);
  await pointerArrived(page);
  expect(await cursorOf(page) === 'default' && !(await ask(page, (viewer) => viewer.hovering)), `beside a plant there is nothing to grab (${await cursorOf(page)})`);
  const [x, y] = await hoverOver(page, tip);
  expect(await cursorOf(page) === 'grab', 'over a plant the hand is open');
  await page.mouse.down();
  await page.mouse.move(x + 40, y, { steps: 3 });
  await pointerArrived(page);
  expect(await cursorOf(page) === 'grabbing', 'it closes while it holds');
  expect(/^[\d.]+ (mN|N)$/.test(await page.locator('#force').innerText()), `the force is said (${await page.locator('#force').innerText()})`);
  await drawOnce(page);
  await page.mouse.up();
  await pointerArrived(page);
  expect(await page.locator('#force').isHidden(), 'until the plant is let go');
  await page.keyboard.press('t');
  await hoverOver(page, tip);
  expect(await cursorOf(page) === 'ew-resize', 'twisting has a cursor of its own');
  await page.keyboard.press('t');
  await checkShake(page);
}

/** The camera glides on for a while after a touch. */
async function restingView(page) {
  const viewOf = () => ask(page, (viewer) => viewer.view);
  let view = await viewOf();
  for (let next; (next = (await frames(page, 4), await viewOf())), distance(view, next) > 0; view = next);
  return view;
}

async function checkShake(page) {
  const base = () => ask(page, (viewer) => viewer.base(0));
  const before = await base();
  const view = await restingView(page);
  const box = await page.locator('#view').boundingBox();
  const at = [box.x + 30, box.y + 40];
  const touch = await fingers(page);
  await page.locator('#shake').click();
  await touch('touchStart', at);
  await touch('touchMove', [at[0] + 30, at[1]]);
  await touch('touchMove', [at[0] + 60, at[1]]);
  await pointerArrived(page);
  await touch('touchEnd');
  await run(page, 1);
  const led = await base();
  const [right] = await screenOf(page, led);
  const [was] = await screenOf(page, before);
  expect(Math.abs(right - was - 60) < 6, `a finger beside the plant takes the pot along (${right - was} of 60 pixels)`);
  const [, , , , ...turned] = await ask(page, (viewer) => viewer.view);
  expect(distance(turned, view.slice(4)) < 1e-9, `and the camera does not turn (${view.slice(4)}; ${turned})`);
  const shake = (ax) => page.evaluate((value) => window.dispatchEvent(
    new DeviceMotionEvent('devicemotion', { acceleration: { x: value, y: 0, z: 0 } })), ax);
  for (let k = 0; k < 5; k++) {
    await shake(-15);
  }
  await run(page, 0.3);
  expect(distance(await base(), led) > 0.01, 'a phone that is shaken shakes the pot');
  for (let k = 0; k < 20; k++) {
    await shake(0);
  }
  await run(page, 1);
  expect(distance(await base(), led) < 2e-3, 'which comes back when the phone is still');
  await page.locator('#shake').click();
}

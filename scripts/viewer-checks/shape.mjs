// SPDX-License-Identifier: MIT
// Changing what is grown without writing: sliders of a model's numbers, presets, one way back for all.

import { ask, expect, openItem, run, setPlaying, tipOf, waitFor } from './page.mjs';

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
  expect((await settings()).wind === 18 && blown[0] - rest[0] > 0.01, `a gale bends it (${blown[0] - rest[0]} m)`);
  expect(await page.locator('#forces .presets [aria-pressed=true]').allInnerTexts().then((all) =>
    all.join() === 'Gale,As grown,As the scene says'), 'what is in force is marked');
  await press('Wilted');
  await press('Fine');
  const { stiffness, step, error } = await settings();
  expect(stiffness === 0.08 && Math.abs(step - 1 / 240) < 1e-9 && error === 0, 'and so are material and accuracy');
  for (const wanted of [18, 18, 0]) {
    await page.locator('#undo').click();
    expect((await settings()).wind === wanted, 'presets are undone one after the other');
  }
  await page.locator('#tab-plants').click();
  await page.locator('#plants button[data-name=fern]').click();
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.name === 'fern');
  await waitFor(page, () => window.tendrilViewer.settings.wind === 3);
  expect(await page.locator('#undo').isDisabled(), 'a plant that is chosen stands in a breeze, which is no change');
}

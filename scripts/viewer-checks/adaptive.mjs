// SPDX-License-Identifier: MIT
// The slider from exact to fast, clusters as colours, and what is left out as the camera sees it.

import { ask, distance, drawOnce, drop, expect, openItem, run, setPlaying, waitFor } from './page.mjs';

const adapted = (page) => ask(page, (viewer) => viewer.adapted);

/** Largest change of a tip's acceleration from step to step, over the square of a step: m. */
async function roughness(page, tip, seconds) {
  const rows = await ask(page, (viewer, [segment, s]) => viewer.follow(segment, s), [tip, seconds]);
  const third = rows.slice(3).map((row, k) => [1, 2, 3].map((axis) =>
    row[axis] - 3 * rows[k + 2][axis] + 3 * rows[k + 1][axis] - rows[k][axis]));
  return Math.max(...third.map((change) => Math.hypot(...change)));
}

export async function checkAccuracy(page) {
  await openItem(page, 'raceme');
  await setPlaying(page, false);
  await ask(page, (viewer) => viewer.set({ wind: 5, gust: 0.4 }));
  await run(page, 1);
  const whole = await adapted(page);
  expect(whole.joints > 100 && whole.active === whole.joints, `at first nothing is left out (${whole.active})`);
  await page.locator('#tab-forces').click();
  await checkSlider(page, whole);
  await checkClusters(page);
  await checkIntegrators(page);
  await page.locator('#tab-plants').click();
}

// moved with the mouse while it plays: no jump, and no new start
async function checkSlider(page, whole) {
  const tip = await ask(page, (viewer) => viewer.highest());
  const slider = page.locator('#set-error');
  await slider.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await slider.boundingBox();
  const time = await ask(page, (viewer) => viewer.time);
  await setPlaying(page, true);
  await page.mouse.move(x + 0.05 * width, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 0.7 * width, y + height / 2, { steps: 6 });
  await page.mouse.up();
  await waitFor(page, (joints) => window.tendrilViewer.adapted.active < joints / 2, whole.joints);
  await setPlaying(page, false);
  const { settings, then } = await ask(page, (viewer) => ({ settings: viewer.settings, then: viewer.time }));
  expect(settings.error > 0 && then > time, `the slider allows an error while it runs (${settings.error} m at ${then} s)`);
  expect(/mm|cm/.test(await page.locator('#error-told').innerText()), 'and says how large it is');
  const coarse = await roughness(page, tip, 0.5);
  const { active, estimate } = await adapted(page);
  // it grows between two choices, and a change must be worth its cost
  expect(estimate > 0 && estimate <= 2 * settings.error, `the error is estimated (${estimate} of ${settings.error} m)`);
  await waitFor(page, (row) => document.getElementById('figures').innerText.includes(row), `${active} of ${whole.joints}`);
  expect(/estimated error\s[\d.]+ (mm|cm)/.test(await page.locator('#figures').innerText()), 'and shown');
  await slider.fill('0');
  const back = await roughness(page, tip, 0.5);
  expect((await adapted(page)).active === whole.joints, 'at its end all is exact again');
  // when that is depends on the clock, and gusts differ: what must not be seen is a jump by the error allowed
  expect(Math.max(coarse, back) < settings.error / 20, `and the plant has not jumped (${[coarse, back]} of ${settings.error} m)`);
  await page.locator('#undo').click();
  expect(await ask(page, (viewer) => viewer.settings.error) === settings.error, 'undo takes the slider back');
  await run(page, 0.5);
}

async function checkClusters(page) {
  const box = (name) => page.locator(`#overlays input[value=${name}]`);
  await page.locator('#tab-show').click();
  await box('moment').check();
  await box('clusters').check();
  expect(!(await box('moment').isChecked()), 'clusters take the place of moments');
  await waitFor(page, () => window.tendrilViewer.legend !== '');
  await drawOnce(page);
  const legend = await ask(page, (viewer) => viewer.legend);
  const counts = Object.fromEntries([...legend.matchAll(/([\w-]+) (\d+)/g)].map(([, name, count]) => [name, Number(count)]));
  const { segments, active, joints } = await ask(page, (viewer) => ({ segments: viewer.segments, ...viewer.adapted }));
  expect(Object.values(counts).reduce((sum, count) => sum + count) === segments, `the legend counts all segments (${legend})`);
  expect(['active', 'coarse', 'quasi-static', 'frozen'].every((name) => name in counts), 'and names what joints do');
  expect(counts.coarse + counts['quasi-static'] + counts.frozen >= joints - active, 'those that are left out among them');
  await page.locator('#tab-forces').click();
  await page.locator('#set-error').fill('0');
  await run(page, 0.1);
  expect((await ask(page, (viewer) => viewer.legend)).includes(`active ${segments}`), 'exact, every segment is active');
  await page.locator('#tab-show').click();
  await box('clusters').uncheck();
  await waitFor(page, () => window.tendrilViewer.legend === '');
}

// which integrators there are is said by the solvers
async function checkIntegrators(page) {
  const integrator = page.locator('#set-integrator');
  const offered = () => page.locator('#set-integrator option:not([disabled])').allInnerTexts();
  await openItem(page, 'pendulums-of-300-links');
  await page.locator('#tab-forces').click();
  expect(await integrator.inputValue() === '4' && (await offered()).length === 5, `trees have the adaptive one (${await offered()})`);
  expect(/how many joints/.test(await page.locator('#error-told').innerText()), 'a scene may say how many joints move');
  for (const one of ['3', '4']) {
    await integrator.selectOption(one);
    await run(page, 0.02);
  }
  const { joints, active } = await adapted(page);
  const fault = await ask(page, (viewer) => viewer.fault);
  expect(fault === '' && active > 0 && active < joints, `it can begin while it runs (${active} of ${joints}, ${fault})`);
  await openItem(page, 'plectoneme');
  expect(!(await offered()).some((name) => /adaptive/.test(name)), `rods have none (${await offered()})`);
  expect(await page.locator('#set-error').isDisabled(), 'and are exact always');
}

const SEEN = `name: Seen from the camera
objects:
  - {plant: mine.lsys, adapt: {error: 0.000002, every: 5, weights: camera, camera: [0, 0, 1]}}
loads:
  - wind: {velocity: [4, 0, 0], gust: 0.5}
`;
const MODEL = 'derivation length: 7\nlength unit: 0.1\nAxiom: !(0.1)A\nA --> F(1)[+(50)F(0.5)]/(137.5)A\n';

/** Farther away less is exact, and the world knows where the camera is. */
export async function checkCameraWeights(page) {
  await setPlaying(page, false);
  await drop(page, [['mine.lsys', MODEL], ['seen.yaml', SEEN]]);
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.name === 'seen');
  const told = () => ask(page, (viewer) => viewer.camera);
  await waitFor(page, () => window.tendrilViewer.camera.every(Number.isFinite));
  const near = await told();
  await run(page, 1);
  const close = await adapted(page);
  const { x, y, width, height } = await page.locator('#view').boundingBox();
  await page.mouse.move(x + 0.05 * width, y + height / 4);
  for (let k = 0; k < 12; k++) {
    await page.mouse.wheel(0, 400);
  }
  await waitFor(page, (place) => Math.hypot(...window.tendrilViewer.camera) > 2 * Math.hypot(...place), near);
  await run(page, 1);
  const far = await adapted(page);
  expect(distance(await told(), near) > 0.1, 'the camera of the page is the world\'s');
  expect(far.active < close.active, `from afar fewer joints move by themselves (${far.active}, near ${close.active})`);
  expect(/each metre/.test(await page.locator('#error-told').textContent()), 'the error is one by distance');
  await openItem(page, 'fern');
}

// SPDX-License-Identifier: MIT
// What stands over and beside the picture: notices, the legend of moments, the frame, the panel's size.

import { PHONE } from '../page-checks.mjs';
import { WINDOW, ask, drop, expect, frames, openItem, run, screenOf, setDrawing, setPlaying, waitFor } from './page.mjs';

const MODEL = 'derivation length: 1\nAxiom: F(0.2) F(0.2)\n';
const LED = `objects:
  - {plant: mine.lsys}
colliders:
  - sphere: {radius: 0.1, position: {keys: [[1, [1, 0.2, 0]], [4, [4, 1.2, 0]]]}}
`;
const FALLS = `objects:
  - {plant: mine.lsys, start: drawn, stiffness: 0.00001}
gravity: [40, -9.81, 0]
record: {duration: 1.5}
`;

export async function checkOver(page) {
  await checkSlow(page);
  await checkScale(page);
  await checkFrame(page);
  await checkSash(page);
}

/** Steps are what is slow: the page says so until it is told not to. */
async function checkSlow(page) {
  // while a step takes half a second, "1.00" must never be shown: it is not measured yet, or it is small
  await openItem(page, 'pendulums-of-300-links');
  await setPlaying(page, true);
  const shown = [];
  for (let k = 0; k < 8; k++) {
    shown.push(await page.locator('#figures').evaluate((list) => list.lastElementChild?.textContent ?? ''));
    await page.waitForTimeout(250);
  }
  await waitFor(page, () => window.tendrilViewer.factor !== null);
  const { factor, notice: why } = await ask(page, (viewer) => ({ factor: viewer.factor, notice: document.getElementById('notice').textContent }));
  expect(shown.every((text) => text === '' || text === '–' || Number.parseFloat(text) < 0.8), `slow scenes show no more speed than they have (${shown})`);
  expect(factor < 0.8 && !/plant/.test(why), `nor is a pendulum called a plant (${factor}: ${why})`);
  await openItem(page, 'rose'); // 60 times of 4 ms and more for each sixtieth of a second: slow on any computer
  await ask(page, (viewer) => viewer.set({ step: 1 / 3600, wind: 6 }));
  await setPlaying(page, true);
  const notice = page.locator('#notice');
  await waitFor(page, () => /steps take long/.test(document.getElementById('notice').textContent));
  await drop(page, [['notes.txt', 'nothing']]);
  await page.locator('#fault').waitFor();
  const boxes = () => page.locator('#figures, #notices p:visible').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
  const apart = (list) => list.every((a, k) => list.slice(k + 1).every((b) =>
    a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top));
  const wide = await boxes();
  await page.setViewportSize(PHONE);
  const narrow = await boxes();
  await page.setViewportSize(WINDOW);
  expect(wide.length === 3 && apart(wide) && apart(narrow), 'no notice covers another, or the figures');
  await page.locator('#fault button').click();
  expect(await page.locator('#fault').isHidden(), 'a fault can be closed');
  await notice.locator('button').click();
  await page.waitForTimeout(1500);
  expect(await notice.isHidden(), 'a notice that was closed stays closed');
  await setPlaying(page, false);
  await openItem(page, 'raceme');
}

async function checkScale(page) {
  await ask(page, (viewer) => viewer.set({ step: 1 / 60 }));
  await page.locator('#tab-show').click();
  await page.locator('#overlays input[value=moment]').check();
  await run(page, 0.2);
  await page.locator('#scale').waitFor();
  const ticks = await page.locator('#scale .ticks').innerText();
  expect(/^0\s+[\d.]+\s+[\d.]+ [kmµn]?N m$/.test(ticks), `moments have a legend with units (${ticks})`);
  const [bar, legend] = await Promise.all(['#scale .bar', '#scale'].map((name) => page.locator(name).boundingBox()));
  expect(bar && bar.width > 0.8 * legend.width && bar.height >= 8 && bar.y > legend.y && bar.y + bar.height < legend.y + legend.height,
    `the legend has a bar of colours (${JSON.stringify(bar)} in ${JSON.stringify(legend)})`);
  await page.locator('#overlays input[value=moment]').uncheck();
  await page.locator('#scale').waitFor({ state: 'hidden' });
  await page.locator('#tab-plants').click();
}

async function checkFrame(page) {
  const distance = () => ask(page, (viewer) => viewer.view[3]);
  const before = await distance();
  await ask(page, (viewer) => viewer.set({ wind: 25, stiffness: 0.5 }));
  // the camera steps back by the clock, for what it sees at that time
  for (let k = 0; k < 60 && await distance() <= 1.05 * before; k++) {
    await run(page, 0.1);
    await page.waitForTimeout(100);
  }
  expect(await distance() > 1.05 * before, 'the camera steps back from what leaves the picture');
  await drop(page, [['mine.lsys', MODEL], ['led.yaml', LED]]);
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.name === 'led');
  await frames(page, 2);
  const { x, y, width, height } = await page.locator('#view').boundingBox();
  const [far, high] = await screenOf(page, [4, 1.2, 0]);
  expect(far > x && far < x + width && high > y && high < y + height, `where keys lead is in the picture (${far}, ${high})`);
  await checkReach(page);
}

/** What a scene will do by itself is in the picture before it is done, and the camera stays. */
async function checkReach(page) {
  await setDrawing(page, true); // nothing is framed without
  await drop(page, [['mine.lsys', MODEL], ['falls.yaml', FALLS]]);
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.name === 'falls');
  await setDrawing(page, false);
  await setPlaying(page, false);
  await page.locator('#reset').click();
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.time === 0);
  const seen = await ask(page, (viewer) => viewer.view);
  const start = await ask(page, (viewer) => viewer.tip(viewer.highest()));
  const { x, y, width, height } = await page.locator('#view').boundingBox();
  const out = [];
  let fallen = 0;
  for (let k = 0; k < 15; k++) {
    await run(page, 0.1);
    const tip = await ask(page, (viewer) => viewer.tip(viewer.segments - 1));
    const [u, v] = await screenOf(page, tip);
    fallen = Math.max(fallen, Math.hypot(...tip.map((c, axis) => c - start[axis])));
    if (u < x || u > x + width || v < y || v > y + height) {
      out.push(k);
    }
  }
  expect(fallen > 0.5, `it moves far (${fallen} m)`);
  expect(out.length === 0, `what moves by itself is in the picture from the start (not at ${out})`);
  const later = await ask(page, (viewer) => viewer.view);
  expect(seen.every((number, k) => Math.abs(number - later[k]) < 1e-9), `the camera stays (${seen}, ${later})`);
}

async function checkSash(page) {
  const width = () => page.locator('#panel').evaluate((panel) => panel.offsetWidth);
  const first = await width();
  const bar = await page.locator('#sash').boundingBox();
  await page.mouse.move(bar.x + bar.width / 2, bar.y + bar.height / 2);
  await page.mouse.down();
  await page.mouse.move(bar.x - 100, bar.y + bar.height / 2, { steps: 3 });
  await page.mouse.up();
  await waitFor(page, (before) => document.getElementById('panel').offsetWidth > before + 80, first);
  const wide = await width();
  expect(wide > first + 80, `the panel can be made larger (${first} to ${wide})`);
  await page.locator('#sash').focus();
  await page.keyboard.press('ArrowRight');
  expect(await width() === wide - 24, 'with keys as well');
  await page.locator('#sash').dblclick();
  expect(await width() === first, 'and is as it was after a double press');
}

// SPDX-License-Identifier: MIT
// The visitor's own files: opened in any order, edited, kept when the page is loaded again, shared,
// forgotten; and a browser that keeps nothing.

import { fileURLToPath } from 'node:url';
import { ask, drop, expect, ready, setDrawing, setPlaying, waitFor, write } from './page.mjs';

const MODEL = '#define HIGH 4\nderivation length: HIGH\nAxiom: A\nA --> F(0.2)A\n';
const SCENE = 'name: A pair\nobjects:\n  - {plant: mine.lsys}\n  - {plant: mine.lsys, position: [0.5, 0, 0]}\n';
const SAPLING = fileURLToPath(new URL('../../scenes/cpfg/sapling', import.meta.url));

const state = (page) => ask(page, (viewer) => ({
  name: viewer.name, segments: viewer.segments, own: viewer.own, text: viewer.text(), fault: viewer.fault, written: viewer.written }));
const shows = (page, name, segments) => waitFor(page, ([wanted, count]) => {
  const viewer = window.tendrilViewer;
  return viewer.ready && viewer.name === wanted && (!count || viewer.segments === count);
}, [name, segments]);

/** Through the browser's own window for files. */
async function choose(page, button, files) {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator(button).click()]);
  await chooser.setFiles(typeof files === 'string' ? files
    : files.map(([name, text]) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })));
}

async function reload(page) {
  await page.reload();
  await ready(page);
  await setDrawing(page, false);
}

export async function checkFiles(page) {
  await setPlaying(page, false);
  await forgetAll(page); // what other checks have brought
  await choose(page, '#open', [['pair.yaml', SCENE]]);
  await waitFor(page, () => /mine\.lsys/.test(window.tendrilViewer.fault));
  expect((await state(page)).written === SCENE, 'a scene whose model is missing can be read all the same');
  await page.locator('#tab-plants').click();
  await choose(page, '#open', [['mine.lsys', MODEL]]);
  await shows(page, 'pair', 8);
  expect((await page.locator('#gallery h2').first().innerText()) === 'Yours', 'its model follows, and both stand in the gallery');
  await checkFaulty(page);
  await choose(page, '#open-folder', SAPLING);
  await shows(page, 'sapling');
  const { own, segments } = await state(page);
  expect(own.join() === 'mine,pair,sapling' && segments > 20, `a folder of cpfg opens (${own}; ${segments} segments)`);
  const texts = await page.locator('#file option').allTextContents();
  expect(texts.includes('sapling.l') && texts.includes('sapling.v'), `with its view file (${texts})`);
  await checkEdits(page);
  await checkStaleLink(page);
  await checkFull(page);
  await checkForget(page);
}

/** A file that is wrong says so, and stands in the way of no other. */
async function checkFaulty(page) {
  const refused = async (name, text, fault) => {
    await page.locator('#tab-plants').click();
    await choose(page, '#open', [[name, text]]);
    await waitFor(page, ([wanted, line]) => window.tendrilViewer.written === wanted
      && window.tendrilViewer.faults.some((one) => one.text.includes(line)), [text, fault]);
  };
  await refused('bad.lsys', 'derivation length: 1\nAxiom: F(\n', 'expected');
  await refused('worse.yaml', 'objects:\n  - {plant: mine.lsys, sise: 2}\n', "'sise'");
  await page.locator('#tab-plants').click();
  await choose(page, '#open', [['good.lsys', MODEL]]);
  await shows(page, 'good', 4);
  expect((await state(page)).fault === '', 'after files that are wrong, another opens');
  await choose(page, '#open', [['bad.lsys', MODEL.replace('HIGH 4', 'HIGH 3')]]);
  await shows(page, 'bad', 3);
  await forgetAll(page);
  await choose(page, '#open', [['mine.lsys', MODEL], ['pair.yaml', SCENE]]);
  await shows(page, 'pair', 8);
}

async function checkEdits(page) {
  await page.locator('#gallery button[data-name=mine]').click();
  await shows(page, 'mine', 4);
  await page.locator('#tab-write').click();
  await write(page, MODEL.replace('HIGH 4', 'HIGH 6'));
  await shows(page, 'mine', 6);
  await page.locator('#undo').click();
  await shows(page, 'mine', 4);
  expect((await state(page)).written === MODEL, 'undo takes back what was written');
  await page.locator('#view').focus();
  await page.keyboard.press('Control+Shift+z');
  await shows(page, 'mine', 6);
  const edited = (await state(page)).text;
  await write(page, 'nonsense');
  await waitFor(page, () => window.tendrilViewer.faults.length > 0);
  await page.locator('#undo').click();
  await waitFor(page, (text) => window.tendrilViewer.written === text, edited);
  await write(page, `${edited}A --> (\n`);
  await waitFor(page, () => window.tendrilViewer.faults.length > 0);
  await reload(page);
  await shows(page, 'mine', 6);
  await waitFor(page, (text) => window.tendrilViewer.written === text, `${edited}A --> (\n`);
  await waitFor(page, () => window.tendrilViewer.faults.length > 0);
  const then = await state(page);
  expect(then.text === edited && then.own.length === 3, 'loaded again, the page has files, what was grown and what was typed');
  await page.locator('#tab-plants').click();
  await page.locator('#gallery button[data-name=fern]').click();
  await shows(page, 'fern');
  await page.locator('#gallery button[data-name=mine]').click();
  await shows(page, 'mine', 6);
  await page.locator('#tab-write').click();
  await page.locator('#original').click();
  await shows(page, 'mine', 4);
  expect((await state(page)).text === MODEL, 'the original comes back');
  await page.locator('#tab-plants').click();
}

async function checkStaleLink(page) {
  const hash = () => page.evaluate(() => location.hash);
  await page.locator('#tab-save').click();
  await page.locator('#link').click();
  await page.locator('#link-text').waitFor();
  const link = await hash();
  expect(link.length > 100, 'the address is the link');
  await page.locator('#tab-plants').click();
  await page.locator('#gallery button[data-name=fern]').click();
  await shows(page, 'fern');
  expect(await hash() === '', 'something else is shown, and the link is gone from the address');
  await page.evaluate((text) => { location.hash = text; }, link);
  await shows(page, 'mine', 4);
  await page.evaluate(() => { location.hash = '#t=damaged'; });
  await waitFor(page, () => /cannot be followed/.test(document.getElementById('note').textContent));
  expect(await hash() === '', 'a damaged link does not stay');
}

/** The page goes on when nothing can be kept. */
async function checkFull(page) {
  await page.evaluate(() => {
    Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };
  });
  await drop(page, [['more.l', MODEL]]);
  await shows(page, 'more', 4);
  await waitFor(page, () => /keeps no more/.test(document.getElementById('note').textContent));
  await reload(page);
  const { own, name } = await state(page);
  expect(own.join() === 'mine,pair,sapling', `what was kept before is there (${own}; ${name})`);
}

async function forgetAll(page) {
  if (await page.locator('#forget').isVisible()) {
    await page.locator('#forget').click();
    await page.locator('#forget').click();
    await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.own.length === 0);
  }
}

async function checkForget(page) {
  await page.locator('#forget').click();
  expect((await state(page)).own.length === 3 && /again to forget \d+ files/.test(await page.locator('#forget').innerText()), 'forgetting asks first');
  await page.locator('#forget').click();
  await shows(page, 'rose');
  expect(await page.locator('#forget').isHidden() && (await page.locator('#gallery h2').first().innerText()) === 'Plants',
    'then all is as it came');
  await reload(page);
  expect((await state(page)).own.length === 0, 'and stays so');
}

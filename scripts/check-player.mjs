#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Opens a page that plays a run from the disk in Chromium and uses it as a visitor would. Any
// complaint on the console, any request to a network and any control that does nothing is a failure.
//
// Software rendering is slow and its speed says nothing, so what is checked is the state that the
// page publishes as window.tendrilPlayer (see web/src/player/main.ts).

import { readFile } from 'node:fs/promises';
import { Checks, DESKTOP, PIXELS, addressOf, checkPhone, waitFor } from './page-checks.mjs';
import { fail, launchBrowser } from './web-tools.mjs';

const USAGE = 'usage: check-player.mjs SCENE.html [SCREENSHOT.png [EXPECTED.csv FPS]]';
const PLACE_TOLERANCE = 1e-4; // m: rotations in a page have 16 bits

const [file, screenshot, expected, fps, ...extra] = process.argv.slice(2);
if (!file || file.startsWith('-') || extra.length > 0 || (expected && !(Number(fps) > 0))) {
  fail(USAGE, 2);
}
const address = addressOf(file);
const checks = new Checks();
const expect = (condition, message) => checks.expect(condition, message);

const state = (page) => page.evaluate(() => {
  const { time, seconds, playing, speed, plots, azimuth, distance, frames, triangles } =
    window.tendrilPlayer;
  return { time, seconds, playing, speed, plots, azimuth, distance, frames, triangles };
});

async function checkClock(page) {
  const first = await state(page);
  expect(first.playing && first.seconds > 0, 'it plays by itself');
  await waitFor(page, (time) => window.tendrilPlayer.time !== time, first.time);
  await page.locator('#play').click();
  const stopped = await state(page);
  expect(!stopped.playing, 'the button stops it');
  await page.waitForTimeout(300);
  expect((await state(page)).time === stopped.time, 'stopped, the clock stands');

  const middle = stopped.seconds / 2;
  await page.locator('#scrub').fill(String(middle));
  expect(Math.abs((await state(page)).time - middle) < 0.02 * stopped.seconds, 'the slider sets the time');
  const clock = await page.locator('#clock').innerText();
  expect(clock.startsWith(middle.toFixed(2).slice(0, 3)), `the clock shows it (${clock})`);
  await page.locator('#view').click({ position: { x: 5, y: 5 } });
  await page.keyboard.press('ArrowRight');
  expect((await state(page)).time > middle - 1e-9, 'an arrow key steps');
  await page.locator('#speed').selectOption('0.25');
  expect((await state(page)).speed === 0.25, 'the speed can be chosen');
  await page.keyboard.press(' ');
  await waitFor(page, () => window.tendrilPlayer.playing);
  await page.keyboard.press(' ');
}

async function checkMotion(page) {
  const shot = async (time) => {
    const { frames } = await state(page);
    await page.evaluate((t) => window.tendrilPlayer.seek(t), time);
    await waitFor(page, (before) => window.tendrilPlayer.frames > before, frames);
    // a picture that was drawn is on the screen two frames later
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    return page.locator('#view').screenshot();
  };
  const { seconds } = await state(page);
  const [a, b] = [await shot(0), await shot(seconds / 3)];
  expect(!a.equals(b), 'the picture changes with time');
  expect((await shot(0)).equals(a), 'the same time gives the same picture');
}

async function checkPlots(page) {
  const { plots, seconds } = await state(page);
  expect(await page.locator('#plots figure').count() === plots, `${plots} plots are drawn`);
  if (plots === 0) {
    return;
  }
  const chart = page.locator('#plots svg').first();
  const box = await chart.boundingBox();
  await page.mouse.click(box.x + 0.75 * box.width, box.y + box.height / 2);
  const { time } = await state(page);
  expect(time > 0.6 * seconds && time < 0.85 * seconds, `a click on a plot sets the time (${time})`);
  const cursor = Number(await chart.locator('.cursor').getAttribute('x1'));
  expect(Math.abs(cursor / 340 - 0.75) < 0.02, `the cursor follows (${cursor})`);
  const lines = await chart.locator('.line').evaluateAll((all) => all.map((line) => line.getAttribute('d')));
  expect(lines.length > 0 && lines.every((d) => d.length > 20), 'the lines have points');
}

async function checkContacts(page) {
  const contacts = () => page.evaluate(() => {
    const { contacts: count, showingContacts: shown, seconds } = window.tendrilPlayer;
    return { count, shown, seconds };
  });
  const button = page.locator('#contacts');
  const { count, shown, seconds } = await contacts();
  expect(!shown && await button.isVisible() === count > 0, `contact forces can be shown where there are some (${count})`);
  if (count === 0) {
    return;
  }
  const shot = async () => {
    const { frames } = await state(page);
    await page.evaluate((t) => window.tendrilPlayer.seek(t), seconds);
    await waitFor(page, (before) => window.tendrilPlayer.frames > before, frames);
    return page.locator('#view').screenshot();
  };
  const without = await shot();
  await button.click();
  expect((await contacts()).shown && await button.getAttribute('aria-pressed') === 'true', 'the button shows contact forces');
  expect(!(await shot()).equals(without), 'their arrows are in the picture');
  await page.keyboard.press('c');
  expect(!(await contacts()).shown && await button.getAttribute('aria-pressed') === 'false', 'a key hides them');
  expect((await shot()).equals(without), 'and they are gone');
}

async function checkPlaces(page) {
  const rows = (await readFile(expected, 'utf8')).trim().split('\n').slice(1).map((row) => row.split(','));
  const chosen = rows.filter((_, i) => i % 97 === 0);
  const errors = await page.evaluate(([list, rate]) => list.map(([frame, name, ...place]) => {
    window.tendrilPlayer.seek(Number(frame) / rate);
    const found = window.tendrilPlayer.joint(name);
    return found ? Math.hypot(...found.map((x, k) => x - Number(place[k]))) : Infinity;
  }), [chosen, Number(fps)]);
  const worst = Math.max(...errors);
  expect(worst < PLACE_TOLERANCE, `joints are where they were recorded (${worst})`);
}

async function checkCamera(page) {
  const box = await page.locator('#view').boundingBox();
  const before = await state(page);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 120, box.y + box.height / 2, { steps: 6 });
  await page.mouse.up();
  await waitFor(page, (azimuth) => Math.abs(window.tendrilPlayer.azimuth - azimuth) > 0.3, before.azimuth);
  await page.mouse.wheel(0, -300);
  await waitFor(page, (distance) => window.tendrilPlayer.distance < 0.97 * distance, before.distance);
}

async function checkAll(page) {
  checks.watch(page);
  await page.goto(address);
  await waitFor(page, () => window.tendrilPlayer?.ready || !document.getElementById('fault').hidden);
  expect(await page.locator('#fault').isHidden(), await page.locator('#fault').innerText());
  await checkClock(page);
  await checkMotion(page);
  await checkPlots(page);
  await checkContacts(page);
  if (screenshot) {
    await page.screenshot({ path: screenshot });
  }
  if (expected) {
    await checkPlaces(page);
  }
  await checkCamera(page);
  await checkPhone(page, checks, 0.35);
}

const browser = await launchBrowser();
await checks.run('player', async () => checkAll(await browser.newPage({ viewport: DESKTOP, deviceScaleFactor: PIXELS })));
await browser.close();
checks.finish(file);

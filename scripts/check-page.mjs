#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Opens a demo page from the disk in Chromium and uses it as a visitor would. Any complaint on the
// console, any request to a network and any control that does nothing is a failure.
//
// Software rendering is slow and its speed says nothing, so what is checked is the state that the
// page publishes as window.tendrilDemo (see web/src/demo/main.ts) and the pixels of its picture.

import { Checks, DESKTOP, PATIENCE, PIXELS, addressOf, checkPhone, fingers, waitFor } from './page-checks.mjs';
import { fail, launchBrowser } from './web-tools.mjs';

const USAGE = 'usage: check-page.mjs PAGE.html [SCREENSHOT.png]';
/** Share of the picture that a plant and its shadow cover at least. */
const LEAST_COVER = 0.004;

const [file, screenshot, ...extra] = process.argv.slice(2);
if (!file || file.startsWith('-') || extra.length > 0) {
  fail(USAGE, 2);
}
const address = addressOf(file);
const checks = new Checks();
const expect = (condition, message) => checks.expect(condition, message);

const state = (page) => page.evaluate(() => {
  const { index, count, title, azimuth, elevation, distance, turning } = window.tendrilDemo;
  return { index, count, title, azimuth, elevation, distance, turning };
});

async function waitForPlant(page, index) {
  await waitFor(page, (wanted) => {
    const demo = window.tendrilDemo;
    return demo.index === wanted && !demo.gliding;
  }, index);
}

// Waits until the camera's own momentum is spent, and gives the state then.
async function settled(page) {
  let before = await state(page);
  for (;;) {
    await page.evaluate(async () => {
      for (let i = 0; i < 4; i++) {
        await new Promise((done) => requestAnimationFrame(done));
      }
    });
    const now = await state(page);
    const change = Math.abs(now.azimuth - before.azimuth) +
      Math.abs(now.elevation - before.elevation) + Math.abs(now.distance / before.distance - 1);
    if (change < 1e-4) {
      return now;
    }
    before = now;
  }
}

// The picture's pixels, read in a page of their own.
async function pixels(reader, page) {
  const shot = await page.locator('#view').screenshot();
  return reader.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data, width, height } = context.getImageData(0, 0, image.width, image.height);
    // The backdrop is nearly even along a row: what differs from both ends is drawn on it. The
    // first and last rows end in the round corners of the frame.
    let covered = 0;
    const small = [];
    for (let y = 24; y < height - 24; y++) {
      for (let x = 0; x < width; x++) {
        const at = 4 * (y * width + x);
        const ends = [4 * (y * width + 2), 4 * (y * width + width - 3)];
        const differs = ends.every((end) => [0, 1, 2].some(
          (channel) => Math.abs(data[at + channel] - data[end + channel]) > 24));
        covered += differs ? 1 : 0;
        if (x % 8 === 0 && y % 8 === 0) {
          small.push(data[at], data[at + 1], data[at + 2]);
        }
      }
    }
    return { cover: covered / (width * height), small };
  }, shot.toString('base64'));
}

function difference(a, b) {
  const n = Math.min(a.length, b.length);
  let changed = 0;
  for (let i = 0; i < n; i++) {
    changed += Math.abs(a[i] - b[i]) > 12 ? 1 : 0;
  }
  return changed / n;
}

async function checkPlants(page, reader) {
  const { count } = await state(page);
  const buttons = page.locator('#strip button');
  expect(await buttons.count() === count && count > 0, `${count} plants have as many buttons`);
  let last = null;
  for (let i = 0; i < count; i++) {
    await buttons.nth(i).click();
    await waitForPlant(page, i);
    const { title } = await state(page);
    const named = `plant ${i} "${title}"`;
    const caption = await page.locator('#caption').innerText();
    expect(caption.startsWith(title), `${named}: caption has its title`);
    const pressed = await buttons.nth(i).getAttribute('aria-pressed');
    expect(pressed === 'true', `${named}: button is marked`);
    expect(/\d m, [\d,]+ triangles$/.test(caption), `${named}: caption has its figures`);
    await page.waitForTimeout(600); // the last picture fades out
    const picture = await pixels(reader, page);
    expect(picture.cover > LEAST_COVER, `${named}: is drawn (covers ${picture.cover.toFixed(4)})`);
    const news = last ? difference(picture.small, last) : 1;
    expect(news > 0.002, `${named}: differs from the one before`);
    last = picture.small;
  }
  expect((await state(page)).turning, 'the plant turns until it is touched');

  if (count > 1) {
    await page.keyboard.press('ArrowRight');
    await waitForPlant(page, 0);
    await page.keyboard.press('ArrowLeft');
    await waitForPlant(page, count - 1);
  }
}

async function checkCamera(page) {
  const box = await page.locator('#view').boundingBox();
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const drag = async (dx, dy, button) => {
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down({ button });
    await page.mouse.move(middle.x + dx, middle.y + dy, { steps: 6 });
    await page.mouse.up({ button });
    return settled(page);
  };
  const start = await drag(0, 0, 'left');
  expect(!start.turning, 'a touch stops the turning');
  const turned = await drag(120, 0, 'left');
  const turn = Math.atan2(Math.sin(turned.azimuth - start.azimuth),
    Math.cos(turned.azimuth - start.azimuth));
  expect(turn < -0.3, `dragging right turns the camera left (${turn.toFixed(3)} rad)`);
  const lifted = await drag(0, 80, 'left');
  expect(lifted.elevation - turned.elevation > 0.2, 'dragging down lifts the camera');
  const moved = await drag(60, 0, 'right');
  expect(Math.abs(moved.azimuth - lifted.azimuth) < 1e-3, 'the right button does not turn');
  await page.mouse.wheel(0, -300);
  const near = await settled(page);
  expect(near.distance < 0.95 * moved.distance, 'the wheel goes nearer');
}

// One finger turns, two that part go nearer.
async function checkTouch(page) {
  const box = await page.locator('#view').boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const send = await fingers(page);
  const touch = (type, ...points) => send(type, ...points.map(([dx, dy]) => [x + dx, y + dy]));
  const start = await settled(page);
  await touch('touchStart', [0, 0]);
  for (let i = 1; i <= 5; i++) {
    await touch('touchMove', [-16 * i, 0]);
  }
  await touch('touchEnd');
  const turned = await settled(page);
  expect(Math.abs(turned.azimuth - start.azimuth) > 0.2, 'one finger turns the camera');
  await touch('touchStart', [-20, 0], [20, 0]);
  for (let i = 1; i <= 5; i++) {
    await touch('touchMove', [-20 - 12 * i, 0], [20 + 12 * i, 0]);
  }
  await touch('touchEnd');
  const near = await settled(page);
  expect(near.distance < 0.8 * turned.distance, 'two fingers that part go nearer');
}

async function checkAll(page, reader) {
  checks.watch(page);
  await page.goto(address);
  await waitFor(page, () => window.tendrilDemo?.ready);
  await waitFor(page, () => window.tendrilDemo.thumbnails === window.tendrilDemo.count, null, 4 * PATIENCE);
  await checkPlants(page, reader);
  if (screenshot) {
    await page.screenshot({ path: screenshot });
  }
  await checkCamera(page);
  await checkPhone(page, checks, 0.4);
  await checkTouch(page);
}

const browser = await launchBrowser();
await checks.run('page', async () => checkAll(
  await browser.newPage({ viewport: DESKTOP, hasTouch: true, deviceScaleFactor: PIXELS }), await browser.newPage()));
await browser.close();
checks.finish(file);

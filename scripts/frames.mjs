#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// A picture of a run: moments of a page that `tendril run` wrote, side by side, each with its time.

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { fail, launchBrowser, readOptions } from './web-tools.mjs';

const USAGE = `usage: frames.mjs [OPTION...] --out PICTURE.jpg SCENE.html

  --times T,...  seconds of the run, by default 0
  --size WxH     pixels of the whole picture, 800x300 by default
  --turn D       degrees by which the camera goes round to the right, 0 by default
  --rise D       degrees by which it goes up, 0 by default
  --zoom Z       how much nearer it comes, 1 by default
  --contacts     with contact forces, where the run has some
  --quality Q    of a jpg, 1 to 100, 82 by default
  --out FILE     a .jpg or .png`;
const PATIENCE = 900000; // ms: a jungle takes minutes without a graphics card
const GAP = 2; // pixels between moments
const ORBIT_SPEED = 0.7; // as web/src/orbit.ts has it

function readArguments() {
  const { values, files } = readOptions(USAGE, {
    times: { type: 'string', default: '0' },
    size: { type: 'string', default: '800x300' },
    turn: { type: 'string', default: '0' },
    rise: { type: 'string', default: '0' },
    zoom: { type: 'string', default: '1' },
    contacts: { type: 'boolean' },
    quality: { type: 'string', default: '82' },
    out: { type: 'string' },
  });
  const size = /^([1-9]\d{0,3})x([1-9]\d{0,3})$/.exec(values.size);
  const [turn, rise, zoom, quality] = ['turn', 'rise', 'zoom', 'quality'].map((key) => Number(values[key]));
  const times = values.times.split(',').map(Number);
  const misuse = !size || files.length !== 1 || !/\.(jpg|png)$/.test(values.out ?? '') || !(zoom > 0) ||
    !(quality >= 1 && quality <= 100) || [...times, turn, rise].some((x) => !Number.isFinite(x));
  if (misuse) {
    return fail(USAGE, 2);
  }
  if (!existsSync(files[0])) {
    return fail(`${files[0]}: no such file`, 3);
  }
  return { width: +size[1], height: +size[2], times, turn, rise, zoom, quality, contacts: values.contacts, out: values.out, file: files[0] };
}

// the picture alone, as large as the window
const PICTURE_ONLY = `body > * { display: none !important }
  main { display: block !important; position: fixed; inset: 0; border-radius: 0 !important; border: 0 !important }
  #view { width: 100vw !important; height: 100vh !important; border-radius: 0 !important }`;

async function openRun(browser, options, width) {
  const page = await browser.newPage({ viewport: { width, height: options.height }, reducedMotion: 'reduce' });
  page.on('pageerror', (error) => console.error(`page: ${error.message}`));
  await page.goto(pathToFileURL(path.resolve(options.file)).href, { timeout: PATIENCE });
  await page.waitForFunction(() => window.tendrilPlayer?.ready || !document.getElementById('fault').hidden,
    null, { timeout: PATIENCE });
  const fault = await page.locator('#fault').innerText();
  if (fault) {
    throw new Error(fault);
  }
  await page.addStyleTag({ content: PICTURE_ONLY });
  await page.waitForFunction(() => document.getElementById('view').clientHeight === window.innerHeight);
  return page;
}

// the camera is moved as a visitor would move it, and comes to rest by and by
async function placeCamera(page, { turn, rise, zoom, height }, width) {
  const pixels = (degrees) => (degrees / 360) * (height / ORBIT_SPEED);
  await page.mouse.move(width / 2, height / 2);
  if (turn !== 0 || rise !== 0) {
    await page.mouse.down();
    await page.mouse.move(width / 2 - pixels(turn), height / 2 + pixels(rise), { steps: 8 });
    await page.mouse.up();
  }
  const notches = Math.round(Math.log(zoom) / -Math.log(0.95));
  for (let i = 0; i < Math.abs(notches); i++) {
    await page.mouse.wheel(0, -100 * Math.sign(notches));
  }
  let last;
  for (let still = 0; still < 3;) {
    await page.waitForTimeout(150);
    const now = await page.evaluate(() => {
      const { azimuth, elevation, distance } = window.tendrilPlayer;
      return JSON.stringify([azimuth, elevation, distance].map((x) => x.toFixed(4)));
    });
    still = now === last ? still + 1 : 0;
    last = now;
  }
}

async function takeMoment(page, time) {
  const frames = await page.evaluate((t) => {
    window.tendrilPlayer.seek(t);
    return window.tendrilPlayer.frames;
  }, time);
  await page.waitForFunction((before) => window.tendrilPlayer.frames > before, frames, { timeout: PATIENCE });
  return (await page.screenshot({ timeout: PATIENCE })).toString('base64');
}

// puts the moments side by side and writes their times below
async function joinMoments(browser, moments, options, width) {
  const strip = await browser.newPage({ viewport: { width: options.width, height: options.height } });
  const parts = moments.map((data, i) => {
    const label = options.times.length > 1 ? `<b>${options.times[i]} s</b>` : '';
    return `<figure><img src="data:image/png;base64,${data}" width="${width}" height="${options.height}">${label}</figure>`;
  });
  await strip.setContent(`<style>body{margin:0;display:flex;gap:${GAP}px;background:#fff}
    figure{margin:0;position:relative}img{display:block}
    b{position:absolute;left:8px;bottom:5px;font:500 12px system-ui,sans-serif;color:#33392e}</style>${parts.join('')}`);
  await strip.waitForFunction(() => [...document.images].every((image) => image.complete));
  const format = options.out.endsWith('.jpg') ? { type: 'jpeg', quality: options.quality } : {};
  return strip.screenshot(format);
}

const options = readArguments();
const count = options.times.length;
const width = Math.floor((options.width - GAP * (count - 1)) / count);
const browser = await launchBrowser();
try {
  const page = await openRun(browser, options, width);
  if (options.contacts) {
    await page.keyboard.press('c');
  }
  await placeCamera(page, options, width);
  const moments = [];
  for (const time of options.times) {
    moments.push(await takeMoment(page, time));
  }
  const picture = await joinMoments(browser, moments, options, width);
  await writeFile(options.out, picture);
  console.log(`${options.out}  ${options.width}x${options.height}  ${Math.ceil(picture.length / 1000)} kB`);
} catch (error) {
  console.error(`${options.file}: ${error.message.split('\n')[0]}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}

#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Draws plants: one picture for each .glb file, all in one browser, with the light of the pages.

import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { bundle, fail, launchBrowser, readOptions } from './web-tools.mjs';

const USAGE = `usage: render.mjs [--size WxH] [--type png|jpg] [--quality Q] --out DIR FILE.glb...

  --size WxH     pixels, 640x480 by default
  --type T       png (default) or jpg
  --quality Q    of a jpg, 1 to 100, 86 by default
  --out DIR      where DIR/FILE.png or DIR/FILE.jpg is written`;

function readArguments() {
  const { values, files } = readOptions(USAGE, {
    size: { type: 'string', default: '640x480' },
    type: { type: 'string', default: 'png' },
    quality: { type: 'string', default: '86' },
    out: { type: 'string' },
  });
  const size = /^([1-9]\d{0,3})x([1-9]\d{0,3})$/.exec(values.size);
  const quality = Number(values.quality);
  const misuse = !size || !values.out || files.length === 0 || !/^(png|jpg)$/.test(values.type) ||
    !(quality >= 1 && quality <= 100);
  if (misuse) {
    return fail(USAGE, 2);
  }
  return { width: +size[1], height: +size[2], quality, type: values.type, out: values.out, files };
}

const options = readArguments();
const { width, height } = options;
const script = await bundle('still/main.ts');
await mkdir(options.out, { recursive: true });
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: { width, height } });
  page.on('console', (message) => console.error(`page: ${message.text()}`));
  await page.setContent('<style>body{margin:0}canvas{display:block}</style><canvas></canvas>');
  await page.addScriptTag({ content: script });
  for (const file of options.files) {
    const data = (await readFile(file)).toString('base64');
    await page.evaluate(([text, w, h]) => window.renderStill(text, w, h), [data, width, height]);
    const target = path.join(options.out, `${path.basename(file, '.glb')}.${options.type}`);
    const format = options.type === 'jpg' ? { type: 'jpeg', quality: options.quality } : {};
    const picture = await page.screenshot({ path: target, ...format });
    console.log(`${target}  ${width}x${height}  ${Math.ceil(picture.length / 1000)} kB`);
  }
} catch (error) {
  console.error(error.message.split('\n')[0]);
  process.exitCode = 1;
} finally {
  await browser.close();
}

// SPDX-License-Identifier: MIT
// Small pictures of large ones. A browser does the scaling where there is one; else pictures are
// taken as they are.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { launchBrowser } from './web-tools.mjs';

// in the browser
async function scale([sources, size]) {
  const results = [];
  for (const source of sources) {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = size;
    const side = Math.min(image.width, image.height);
    const pen = canvas.getContext('2d');
    pen.imageSmoothingQuality = 'high';
    pen.drawImage(image, (image.width - side) / 2, (image.height - side) / 2, side, side, 0, 0, size, size);
    results.push(canvas.toDataURL('image/jpeg', 0.75).split(',')[1]);
  }
  return results;
}

/** From pairs of name and file to a map from name to a square JPEG; files that are not there are left out. */
export async function shrink(pairs, size) {
  const there = pairs.filter(([, file]) => existsSync(file));
  const data = await Promise.all(there.map(([, file]) => readFile(file)));
  let browser;
  try {
    browser = await launchBrowser();
    const page = await browser.newPage();
    const sources = data.map((bytes) => `data:image/jpeg;base64,${bytes.toString('base64')}`);
    const small = await page.evaluate(scale, [sources, size]);
    return new Map(there.map(([name], k) => [name, Buffer.from(small[k], 'base64')]));
  } catch {
    return new Map(there.map(([name], k) => [name, data[k]]));
  } finally {
    await browser?.close();
  }
}

// SPDX-License-Identifier: MIT
// Pictures of the page beside those that a person has looked at: alike when one steps back.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ask, drawOnce, expect, openItem, run, setDrawing, setPlaying } from './page.mjs';

/** Five views; what each opens, changes and shows before its picture is taken. */
const VIEWS = [
  { name: 'rose', item: 'rose', changes: {}, seconds: 0, overlays: [] },
  { name: 'wind', item: 'raceme', changes: { wind: 8 }, seconds: 1, overlays: [] },
  { name: 'moments', item: 'orchid', changes: { wind: 5 }, seconds: 2, overlays: ['moment', 'centre'] },
  { name: 'segments', item: 't-plant', changes: {}, seconds: 0, overlays: ['skeleton'] },
  { name: 'sideways', item: 'potted-sunflower', changes: { tilt: 60 }, seconds: 2, overlays: ['velocity'] },
];
/** Least correlation of brightness with the picture that a person has looked at. */
const LIKENESS = 0.9;

// in the page: how alike two pictures are when one steps back from them, from -1 to 1
async function likeness([first, second]) {
  const [width, height] = [48, 32];
  const grey = async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [width, height];
    const pen = canvas.getContext('2d', { willReadFrequently: true });
    pen.imageSmoothingQuality = 'high';
    pen.drawImage(image, 0, 0, width, height);
    const { data } = pen.getImageData(0, 0, width, height);
    const values = Array.from({ length: width * height }, (_, k) =>
      0.3 * data[4 * k] + 0.6 * data[4 * k + 1] + 0.1 * data[4 * k + 2]);
    // sky and ground are the same in all pictures: what differs from the middle of its row counts
    return values.map((v, k) => {
      const row = Math.floor(k / width) * width;
      const sorted = values.slice(row, row + width).sort((x, y) => x - y);
      return v - sorted[width / 2];
    });
  };
  const [a, b] = [await grey(first), await grey(second)];
  const dot = (u, v) => u.reduce((sum, x, k) => sum + x * v[k], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** Compares with the pictures in a folder, or keeps new ones there. */
export async function checkPictures(page, folder, renew) {
  await setPlaying(page, false);
  await page.addStyleTag({ content: '#above, #below { visibility: hidden; }' });
  await page.locator('#tab-show').click();
  await setDrawing(page, false);
  for (const { name, item, changes, seconds, overlays } of VIEWS) {
    await openItem(page, item);
    await ask(page, (viewer, c) => viewer.set(c), changes);
    for (const overlay of overlays) {
      await page.locator(`#overlays input[value=${overlay}]`).check();
    }
    await run(page, seconds);
    await drawOnce(page);
    const picture = await page.locator('#view').screenshot({ type: 'jpeg', quality: 80 });
    await compare(page, path.join(folder, `${name}.jpg`), picture, renew);
    for (const overlay of overlays) {
      await page.locator(`#overlays input[value=${overlay}]`).uncheck();
    }
  }
  await page.locator('#tab-plants').click();
}

async function compare(page, file, picture, renew) {
  if (renew) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, picture);
    return;
  }
  const source = (data) => `data:image/jpeg;base64,${data.toString('base64')}`;
  const alike = await page.evaluate(likeness, [source(await readFile(file)), source(picture)]);
  expect(alike > LIKENESS, `the picture is like ${path.basename(file)} (${alike.toFixed(3)})`);
}

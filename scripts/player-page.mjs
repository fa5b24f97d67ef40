#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Builds the player: one HTML page with all scripts and styles, in which the command puts a run.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundle, fail, webFolder } from './web-tools.mjs';

/** As src/io/clip_page.c looks for it. */
const MARK = '<!-- tendril: clip -->';

const [flag, output, ...extra] = process.argv.slice(2);
if (flag !== '-o' || !output || extra.length > 0) {
  fail('usage: player-page.mjs -o PLAYER.html', 2);
}
const parts = {
  style: await bundle('player/style.css'),
  script: await bundle('player/main.ts'),
};
const template = await readFile(path.join(webFolder, 'src/player/index.html'), 'utf8');
const page = template.replace(/\{\{(\w+)\}\}/g, (_, part) => parts[part]);
if (page.split(MARK).length !== 2) {
  fail(`the player must have "${MARK}" once`, 1);
}

try {
  await mkdir(path.dirname(output), { recursive: true });
  await writeFile(`${output}.part`, page);
  await rename(`${output}.part`, output);
} catch (error) {
  fail(`${output}: ${error.message}`, 5);
}
console.log(`${output}  ${Math.ceil(page.length / 1000)} kB`);

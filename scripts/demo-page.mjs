#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Writes one HTML page that shows plants: scripts, styles and models are all inside it, so that it
// opens from a disk without a network.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundle, fail, readOptions, webFolder } from './web-tools.mjs';

const USAGE = `usage: demo-page.mjs -o PAGE.html FILE.glb...

Beside FILE.glb there may be FILE.json with {"title": "...", "text": "..."}.`;

function readArguments() {
  const { values, files } = readOptions(USAGE, { output: { type: 'string', short: 'o' } });
  if (!values.output || files.length === 0) {
    return fail(USAGE, 2);
  }
  return { output: values.output, files };
}

async function readPlant(file) {
  const glb = await readFile(file);
  if (glb.toString('latin1', 0, 4) !== 'glTF') {
    return fail(`${file}: not a binary glTF file`, 3);
  }
  const name = path.basename(file, '.glb');
  const spoken = name.replace(/[-_]+/g, ' ');
  const label = { name, title: spoken[0].toUpperCase() + spoken.slice(1), text: '' };
  const { title, text } = await readSidecar(file.replace(/\.glb$/, '') + '.json');
  return { label: { ...label, ...(title && { title }), ...(text && { text }) }, glb };
}

async function readSidecar(file) {
  let content;
  try {
    content = await readFile(file, 'utf8');
  } catch (error) {
    return error.code === 'ENOENT' ? {} : fail(`${file}: ${error.message}`, 3);
  }
  try {
    return JSON.parse(content);
  } catch (error) {
    return fail(`${file}: ${error.message}`, 3);
  }
}

const { output, files } = readArguments();
const plants = await Promise.all(files.map((file) => readPlant(file).catch(
  (error) => fail(`${file}: ${error.message}`, 3))));
const parts = {
  style: await bundle('demo/style.css'),
  script: await bundle('demo/main.ts'),
  // "<" is written as an escape so that no text can end the element
  plants: JSON.stringify(plants.map(({ label }) => label)).replaceAll('<', '\\u003c'),
  data: plants.map(({ glb }, i) => {
    const text = gzipSync(glb, { level: 9 }).toString('base64');
    return `<script type="text/plain" id="glb-${i}">${text}</script>`;
  }).join('\n'),
};
const template = await readFile(path.join(webFolder, 'src/demo/index.html'), 'utf8');
const page = template.replace(/\{\{(\w+)\}\}/g, (_, part) => parts[part]);

try {
  await mkdir(path.dirname(output), { recursive: true });
  await writeFile(`${output}.part`, page);
  await rename(`${output}.part`, output);
} catch (error) {
  fail(`${output}: ${error.message}`, 5);
}
console.log(`${output}  ${plants.length} plants  ${Math.ceil(page.length / 1000)} kB`);

#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Builds the viewer: one HTML page with the library as WebAssembly, the shipped plants and scenes,
// scripts, styles and small pictures, which opens from a disk without a network. With --static the
// same for a web server, in several files.

import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bundle, fail, readOptions, webFolder } from './web-tools.mjs';
import { shrink } from './thumbnails.mjs';

const USAGE = `usage: viewer-page.mjs --module MODULE.wasm -o PAGE.html [--static FOLDER] [--no-thumbnails]`;
/** As src/cli/view.c looks for it. */
const MARK = '<!-- tendril: view -->';
const root = fileURLToPath(new URL('..', import.meta.url));

function readArguments() {
  const { values, files } = readOptions(USAGE, {
    module: { type: 'string' },
    output: { type: 'string', short: 'o' },
    static: { type: 'string' },
    'no-thumbnails': { type: 'boolean' },
  });
  return values.module && values.output && files.length === 0 ? values : fail(USAGE, 2);
}

// ---- plants and scenes ----------------------------------------------------------------------------

// the first comment of a model or scene, as one line
function caption(text) {
  const block = /^\s*\/\*([\s\S]*?)\*\//.exec(text);
  const lines = block ? block[1].split('\n') : /^(?:(?:\/\/|#(?!define|include)) ?.*\n)*/.exec(text)[0].split('\n');
  const plain = lines.map((line) => line.replace(/^\s*(?:\/\/|#|\*)? ?/, '').trim());
  const first = plain.filter((line) => !/SPDX/.test(line)).join(' ').trim();
  return /^(.*?[.!?])(?:\s|$)/.exec(first)?.[1] ?? first;
}

function title(name) {
  const spoken = name.replace(/^fig-/, 'figure ').replace(/-/g, ' ');
  return spoken[0].toUpperCase() + spoken.slice(1);
}

// a key of a scene's own, without reading all of YAML
function sceneKey(text, key) {
  const found = new RegExp(`^${key}:\\s*(?:"([^"]*)"|'([^']*)'|(.*))$`, 'm').exec(text);
  return (found?.[1] ?? found?.[2] ?? found?.[3] ?? '').trim();
}

async function readFolder(folder, pattern) {
  const place = path.join(root, 'scenes', folder);
  const names = existsSync(place) ? (await readdir(place)).filter((name) => pattern.test(name)).sort() : [];
  return Promise.all(names.map(async (name) => [
    path.posix.join(folder, name), await readFile(path.join(place, name), 'utf8')]));
}

async function readLibrary() {
  const scenes = await readFolder('', /\.ya?ml$/);
  const plants = await readFolder('plants', /\.lsys$/);
  const figures = await readFolder('abop', /\.lsys$/);
  const props = await readFolder('props', /\.lsys$/);
  const items = [];
  const add = (group, list) => {
    for (const [file, text] of list) {
      const name = path.posix.basename(file).replace(/\.\w+$/, '');
      const scene = /ya?ml$/.test(file);
      items.push({
        name: items.some((item) => item.name === name) ? `${name}-${scene ? 'scene' : 'plant'}` : name,
        title: (scene && sceneKey(text, 'name')) || title(name),
        text: (scene && sceneKey(text, 'text')) || caption(text),
        file,
        group,
      });
    }
  };
  const roseFirst = (a, b) => Number(b[0].includes('rose')) - Number(a[0].includes('rose'));
  add('Plants', plants.sort(roseFirst));
  add('Scenes', scenes);
  add('The Algorithmic Beauty of Plants', figures);
  return { items, files: Object.fromEntries([...scenes, ...plants, ...figures, ...props]) };
}

// ---- page -------------------------------------------------------------------------------------------

const packed = (data) => gzipSync(data, { level: 9 }).toString('base64');
const element = (id, text) => `<script type="text/plain" id="${id}">${text}</script>`;

async function write(file, data) {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(`${file}.part`, data);
    await rename(`${file}.part`, file);
  } catch (error) {
    fail(`${file}: ${error.message}`, 5);
  }
}

const given = readArguments();
const module = await readFile(given.module).catch((error) => fail(`${given.module}: ${error.message}`, 3));
const library = await readLibrary();
const thumbnails = given['no-thumbnails'] ? new Map() : await shrink(
  library.items.map(({ name }) => [name, path.join(root, 'docs/gallery', `${name}.jpg`)]), 160);
const [style, boot, script, worker] =
  await Promise.all(['style.css', 'boot.ts', 'main.ts', 'worker.ts'].map((entry) => bundle(`viewer/${entry}`)));
const template = await readFile(path.join(webFolder, 'src/viewer/index.html'), 'utf8');
if (template.split(MARK).length !== 2) {
  fail(`the viewer must have "${MARK}" once`, 1);
}
const pictures = [...thumbnails].map(([name, data]) => element(`thumb-${name}`, data.toString('base64')));
const data = [element('worker', packed(worker)), element('library', packed(JSON.stringify(library)))];
const fill = (parts) => template.replace(/\{\{(\w+)\}\}/g, (_, part) => parts[part]);

const page = fill({
  self: '',
  style: `<style>${style}</style>`,
  script: `<script>${boot}</script>`,
  data: [...data, element('module', packed(module)), element('script', packed(script))].join('\n'),
  pictures: pictures.join('\n'),
});
await write(given.output, page);
const kilobytes = (bytes) => `${Math.ceil(bytes / 1000)} kB`;
const pictureBytes = pictures.reduce((sum, text) => sum + text.length, 0);
console.log(`${given.output}  ${library.items.length} plants and scenes  ${kilobytes(page.length)}, ` +
  `${kilobytes(page.length - pictureBytes)} without pictures; module ${kilobytes(module.length)}`);

if (given.static) {
  const within = (name) => path.join(given.static, name);
  await write(within('index.html'), fill({
    self: " 'self'",
    style: '<link rel="stylesheet" href="viewer.css">',
    script: '<script src="viewer.js" defer></script>',
    data: data.join('\n'),
    pictures: pictures.join('\n'),
  }));
  await write(within('viewer.css'), style);
  await write(within('viewer.js'), script);
  await write(within('tendril.wasm'), module);
  console.log(given.static);
}

#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Runs the Khronos glTF validator on files. One line for each; exit 1 on any error or warning.

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fail, webPackage } from './web-tools.mjs';

const SEVERITIES = ['error', 'warning', 'info', 'hint'];
const SHOWN_ISSUES = 5;

const files = process.argv.slice(2);
if (files.length === 0 || files[0].startsWith('-')) {
  fail('usage: check-gltf.mjs FILE.glb...', 2);
}
const { validateBytes } = webPackage('gltf-validator');

async function check(file) {
  const { issues, info } = await validateBytes(new Uint8Array(await readFile(file)), {
    uri: path.basename(file),
    externalResourceFunction: () => Promise.reject(new Error('a .glb stands alone')),
  });
  const bad = issues.messages.filter(({ severity }) => severity <= 1);
  if (bad.length === 0) {
    console.log(`${file}: ok, ${info.totalTriangleCount} triangles`);
    return true;
  }
  const shown = bad.slice(0, SHOWN_ISSUES).map(({ severity, code, message, pointer, offset }) =>
    `${SEVERITIES[severity]} ${code} at ${pointer ?? `byte ${offset}`}: ${message}`);
  const more = bad.length > SHOWN_ISSUES ? `; ${bad.length - SHOWN_ISSUES} more` : '';
  console.log(`${file}: ${shown.join('; ')}${more}`);
  return false;
}

let passed = true;
for (const file of files) {
  try {
    passed = (await check(file)) && passed;
  } catch (error) {
    console.log(`${file}: ${error.message ?? error}`);
    passed = false;
  }
}
process.exit(passed ? 0 : 1);

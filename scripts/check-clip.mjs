#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Reads an animated .glb, or the one inside a page that plays, as the glTF specification says, and
// compares where its joints are with a table `frame,node,x,y,z`. Also runs the Khronos validator.

import { readFile } from 'node:fs/promises';
import { fail, webPackage } from './web-tools.mjs';

const USAGE = 'usage: check-clip.mjs CLIP.glb|SCENE.html EXPECTED.csv FPS [TOLERANCE]';
const COMPONENTS = {
  5121: { array: Uint8Array, scale: 255 },
  5122: { array: Int16Array, scale: 32767 },
  5123: { array: Uint16Array, scale: 65535 },
  5125: { array: Uint32Array, scale: 1 },
  5126: { array: Float32Array, scale: 1 },
};
const WIDTHS = { SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16 };

const [file, table, fps, tolerance = '1e-5'] = process.argv.slice(2);
if (!table || !(Number(fps) > 0) || !(Number(tolerance) > 0)) {
  fail(USAGE, 2);
}

async function readGlb() {
  const bytes = await readFile(file);
  if (!file.endsWith('.html')) {
    return bytes;
  }
  const text = /id="clip">([^<]*)</.exec(bytes.toString('latin1'))?.[1];
  return text ? Buffer.from(text, 'base64') : fail(`${file}: has no clip in it`, 1);
}

function parse(glb) {
  const jsonSize = glb.readUInt32LE(12);
  const json = JSON.parse(glb.toString('utf8', 20, 20 + jsonSize));
  const binary = glb.subarray(28 + jsonSize);
  const read = (index) => {
    const { bufferView, byteOffset = 0, componentType, count, type, normalized } = json.accessors[index];
    const { array, scale } = COMPONENTS[componentType];
    const from = json.bufferViews[bufferView].byteOffset + byteOffset;
    const size = count * WIDTHS[type] * array.BYTES_PER_ELEMENT;
    const values = new array(new Uint8Array(binary.subarray(from, from + size)).buffer);
    return Float64Array.from(values, (x) => (normalized ? x / scale : x));
  };
  return { json, read };
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
function rotate([x, y, z, w], v) {
  const u = [x, y, z];
  const t = cross(u, v).map((c) => 2 * c);
  const s = cross(u, t);
  return v.map((c, k) => c + w * t[k] + s[k]);
}
function multiply([ax, ay, az, aw], [bx, by, bz, bw]) {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

// world places of all nodes at a time that is one of the keys
function placesAt({ json, read }, tracks, time) {
  const local = json.nodes.map(({ translation = [0, 0, 0], rotation = [0, 0, 0, 1] }) =>
    ({ translation, rotation }));
  for (const { node, path, times, values } of tracks) {
    const key = times.findIndex((t) => Math.abs(t - time) < 1e-4);
    if (key < 0) {
      throw new Error(`no key at ${time} s`);
    }
    const width = path === 'rotation' ? 4 : 3;
    const value = Array.from(values.slice(width * key, width * (key + 1)));
    const length = path === 'rotation' ? Math.hypot(...value) : 1;
    local[node][path] = value.map((x) => x / length);
  }
  const world = new Array(json.nodes.length);
  // chains may be long: no recursion
  const left = json.scenes[0].nodes.map((node) => [node, [0, 0, 0], [0, 0, 0, 1]]);
  while (left.length > 0) {
    const [node, place, turn] = left.pop();
    const moved = rotate(turn, local[node].translation);
    const here = place.map((x, k) => x + moved[k]);
    const now = multiply(turn, local[node].rotation);
    world[node] = here;
    (json.nodes[node].children ?? []).forEach((child) => left.push([child, here, now]));
  }
  return world;
}

// Where a joint was bound, seen from its parent, is where it sits on it: with M the inverse bind
// matrices, M_parent M_joint^-1 0 is the joint's translation. M is a turn, times a size in pages.
function worstBind({ json, read }, moving) {
  let worst = 0;
  for (const { joints, inverseBindMatrices } of json.skins ?? []) {
    const m = read(inverseBindMatrices);
    const at = new Map(joints.map((node, i) => [node, 16 * i]));
    for (const [parent, p] of at) {
      for (const child of (json.nodes[parent].children ?? []).filter((node) => !moving.has(node))) {
        const c = at.get(child);
        const size = m[c] ** 2 + m[c + 1] ** 2 + m[c + 2] ** 2;
        const t = [m[c + 12], m[c + 13], m[c + 14]];
        const zero = [0, 4, 8].map((k) =>
          -(m[c + k] * t[0] + m[c + k + 1] * t[1] + m[c + k + 2] * t[2]) / size);
        const seen = [0, 1, 2].map((k) =>
          m[p + k] * zero[0] + m[p + k + 4] * zero[1] + m[p + k + 8] * zero[2] + m[p + k + 12]);
        const { translation } = json.nodes[child];
        worst = Math.max(worst, Math.hypot(...seen.map((x, k) => x - translation[k])));
      }
    }
  }
  return worst;
}

const glb = await readGlb();
const { issues } = await webPackage('gltf-validator').validateBytes(new Uint8Array(glb));
const bad = issues.messages.filter(({ severity }) => severity <= 1);
if (bad.length > 0) {
  fail(`${file}: ${bad[0].code} at ${bad[0].pointer}: ${bad[0].message}`, 1);
}

const clip = parse(glb);
const animation = clip.json.animations?.[0] ?? { channels: [], samplers: [] };
const inputs = new Map();
const tracks = animation.channels.map(({ sampler, target }) => {
  const { input, output } = animation.samplers[sampler];
  inputs.set(input, inputs.get(input) ?? clip.read(input));
  return { ...target, times: inputs.get(input), values: clip.read(output) };
});
const nodeOf = new Map(clip.json.nodes.map(({ name }, i) => [name, i]));
const rows = (await readFile(table, 'utf8')).trim().split('\n').slice(1).map((line) => line.split(','));
let worst = { error: 0, row: null };
let places = null;
let frame = null;
for (const row of rows) {
  if (row[0] !== frame) {
    frame = row[0];
    places = placesAt(clip, tracks, Number(frame) / Number(fps));
  }
  const place = places[nodeOf.get(row[1])] ?? fail(`${file}: no node ${row[1]}`, 1);
  const error = Math.hypot(...place.map((x, k) => x - Number(row[2 + k])));
  worst = error >= worst.error ? { error, row } : worst;
}
const moving = new Set(tracks.filter(({ path }) => path === 'translation').map(({ node }) => node));
const bind = worstBind(clip, moving);
if (bind > Number(tolerance)) {
  fail(`${file}: a joint is bound ${bind} m from where it sits on its parent`, 1);
}
console.log(`${file}: ${tracks.length} tracks, ${rows.length} places, the worst off by ` +
  `${worst.error.toExponential(1)} m (${worst.row?.[1]}, frame ${worst.row?.[0]})`);
process.exit(rows.length > 0 && worst.error <= Number(tolerance) ? 0 : 1);

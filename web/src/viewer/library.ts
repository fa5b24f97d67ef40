// SPDX-License-Identifier: MIT
// The plants and scenes that a page carries, and how one of them, or a file from outside, becomes a
// source for the worker.

import type { Source } from './protocol';

/** What can be chosen. */
export interface Item {
  /** Unique; also in shared links. */
  name: string;
  title: string;
  text: string;
  /** Its file among the library's. */
  file: string;
  group: string;
}

export interface Library {
  items: Item[];
  files: Record<string, string>;
}

/** What is grown: a file of the library or of a visitor, and texts that were changed. */
export interface Shown {
  item: Item | null;
  file: string;
  edited: Record<string, string>;
}

/** What `tendril view` puts into a page. */
export interface Given {
  file: string;
  files: Record<string, string>;
}

export function isModel(file: string): boolean {
  return /\.(lsys|l)$/i.test(file);
}

export function isScene(file: string, text: string): boolean {
  return /\.(ya?ml|json)$/i.test(file) && /^[\s{]*"?objects"?\s*:/m.test(text);
}

/** A model alone is a scene with one object. */
function sceneOf(file: string): string {
  return `objects:\n  - plant: ${JSON.stringify(baseName(file))}\n`;
}

export function makeSource(file: string, files: Record<string, string>): Source {
  if (isModel(file)) {
    const folder = file.slice(0, file.lastIndexOf('/') + 1);
    return { file: `${folder}page.yaml`, text: sceneOf(file), files };
  }
  return { file, text: files[file], files };
}

/** The files that a person may want to edit: a scene and its models; what models include, and their view files. */
export function editable(file: string, files: Record<string, string>): Record<string, string> {
  const found: Record<string, string> = {};
  const add = (name: string): void => {
    if (name in found) {
      return;
    }
    found[name] = files[name];
    const folder = name.slice(0, name.lastIndexOf('/') + 1);
    for (const wanted of namedIn(name, files[name])) {
      const path = normal(folder + wanted);
      const known = path in files ? path : Object.keys(files).find((key) => baseName(key) === baseName(path));
      if (known) {
        add(known);
      }
    }
  };
  add(file);
  return found;
}

function namedIn(file: string, text: string): string[] {
  const pattern = isModel(file) ? /^\s*#include\s+"([^"]+)"/gm : /\b(?:plant|view):\s*(?:"([^"]+)"|([^\s,}#]+))/g;
  const named = [...text.matchAll(pattern)].map(([, quoted, plain]) => quoted ?? plain);
  return /\.l$/i.test(file) ? [...named, baseName(file).replace(/l$/i, 'v')] : named;
}

/** Whether a scene has a strand: a rope, a chain, a cord; comments do not count. */
export function hasStrand(text: string): boolean {
  return /^[^#\n]*\bstrand:/m.test(text);
}

export function baseName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}

/** A path without "." and "..", and without a leading slash, as the module has them. */
export function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') {
      parts.pop();
    } else if (part !== '' && part !== '.') {
      parts.push(part);
    }
  }
  return parts.join('/');
}

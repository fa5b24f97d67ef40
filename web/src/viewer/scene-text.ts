// SPDX-License-Identifier: MIT
// Changes of a scene's YAML. A change is made in the tree of the text, which says what the result must
// be, and in the text itself, where only the value that changes is written anew: all other lines,
// comments and columns stay as they are. Should the two differ, the tree is written out.

import { isAlias, isMap, isNode, isPair, isScalar, isSeq, parseDocument, stringify, visit } from 'yaml';
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from 'yaml';

export type Path = (string | number)[];

/** `set` makes what is not there; `add` goes to the end of a list, which is made where there is none. */
export type Edit =
  | { set: Path; value: unknown }
  | { add: Path; value: unknown }
  | { remove: Path };

const READ = { schema: 'core', prettyErrors: false, logLevel: 'silent', keepSourceTokens: true } as const;
const WRITE = { lineWidth: 0, flowCollectionPadding: false } as const;

type Doc = Document.Parsed;
type Found = Node | Pair | undefined;

function read(text: string): Doc {
  const document = parseDocument(text, READ);
  const [fault] = document.errors;
  if (fault) {
    throw new Error(fault.message);
  }
  return document;
}

/** As plain data; null where the text is no scene. */
export function readScene(text: string): Record<string, unknown> | null {
  try {
    const scene = read(text).toJS() as unknown;
    return scene && typeof scene === 'object' && !Array.isArray(scene) ? (scene as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Throws when a value is shared with others, by an alias. */
export function editScene(text: string, edits: Edit[]): string {
  return edits.reduce(editOnce, text);
}

function editOnce(text: string, edit: Edit): string {
  const document = read(text);
  const written = splice(text, document, edit);
  change(document, edit);
  return written !== null && says(written, document.toJS()) ? written : document.toString(WRITE);
}

function says(text: string, wanted: unknown): boolean {
  try {
    return JSON.stringify(read(text).toJS()) === JSON.stringify(wanted);
  } catch {
    return false; // an alias has lost its anchor
  }
}

// ---- the tree -------------------------------------------------------------------------------------

function change(document: Doc, edit: Edit): void {
  const path = pathOf(edit);
  for (let k = 1; k <= path.length; k++) {
    if (isAlias(document.getIn(path.slice(0, k), true))) {
      throw new Error(`${path.slice(0, k).join('.')} is shared with another value: change it in the text`);
    }
  }
  const before = document.getIn(path, true);
  if ('remove' in edit) {
    document.deleteIn(path);
    const list = document.getIn(path.slice(0, -1), true);
    if (isSeq(list) && list.items.length === 0) {
      document.deleteIn(path.slice(0, -1));
    }
  } else if ('add' in edit && isSeq(document.getIn(path, true))) {
    document.addIn(path, flow(document, edit.value));
  } else {
    document.setIn(path, flow(document, 'add' in edit ? [edit.value] : edit.value));
  }
  if (isNode(before) && !('add' in edit)) {
    keepShared(document, before);
  }
}

// what had a name goes to the first place that asks for it by that name
function keepShared(document: Doc, gone: Node): void {
  const shared = new Map<string, Node>();
  visit(gone, { Node: (_, node) => void ('anchor' in node && node.anchor && shared.set(node.anchor, node)) });
  visit(document, {
    Node: (_, node) => void ('anchor' in node && node.anchor && shared.delete(node.anchor)),
    Alias: (_, { source }) => {
      const found = shared.get(source);
      shared.delete(source);
      return found;
    },
  });
}

const pathOf = (edit: Edit): Path => ('set' in edit ? edit.set : 'add' in edit ? edit.add : edit.remove);

function flow(document: Doc, value: unknown): unknown {
  return typeof value === 'object' && value !== null ? document.createNode(value, { flow: true, aliasDuplicateObjects: false }) : value;
}

// ---- the text -------------------------------------------------------------------------------------

/** One line. */
function inFlow(value: unknown): string {
  return stringify(value, { ...WRITE, collectionStyle: 'flow', aliasDuplicateObjects: false }).trim();
}

// null: it takes the tree
function splice(text: string, document: Doc, edit: Edit): string | null {
  const path = pathOf(edit);
  const node = document.getIn(path, true) as Found;
  if ('remove' in edit) {
    return cut(text, document, path);
  }
  if ('add' in edit) {
    return isSeq(node) ? append(text, node, edit.value) : insert(text, document, path, [edit.value], true);
  }
  return node && !isPair(node) ? replace(text, document, path, node, edit.value) : insert(text, document, path, edit.value, false);
}

function replace(text: string, document: Doc, path: Path, node: Node, value: unknown): string | null {
  const range = node.range!;
  if (isScalar(node) || isFlow(node)) {
    return text.slice(0, range[0]) + inFlow(value) + text.slice(range[1]);
  }
  // a block becomes one line, behind its key
  const pair = pairAt(document, path);
  const key = (pair?.key as Node | undefined)?.range;
  const colon = key ? text.indexOf(':', key[1]) + 1 : 0;
  return colon > 0 ? `${text.slice(0, colon)} ${inFlow(value)}${text.slice(contentEnd(text, node))}` : null;
}

/** A key that is not there yet; where its map is not there either, that as well. */
function insert(text: string, document: Doc, path: Path, value: unknown, list: boolean): string | null {
  const map = (path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)) as Found;
  const key = path[path.length - 1];
  if (!isMap(map)) {
    return path.length > 1 && typeof path[path.length - 1] === 'string' && !map
      ? insert(text, document, path.slice(0, -1), { [key]: value }, false) : null;
  }
  if (isFlow(map)) {
    return intoFlow(text, map, `${key}: ${inFlow(value)}`);
  }
  const first = (map.items[0]?.key as Node | undefined)?.range;
  if (!first) {
    return null;
  }
  const indent = ' '.repeat(columnOf(text, first[0]));
  const written = list ? `${key}:\n${(value as unknown[]).map((item) => `${indent}  - ${inItem(item, indent)}`).join('\n')}` : `${key}: ${inFlow(value)}`;
  const at = lineEnd(text, contentEnd(text, map));
  return `${text.slice(0, at)}\n${indent}${written}${text.slice(at)}`;
}

function append(text: string, seq: YAMLSeq, value: unknown): string | null {
  if (isFlow(seq)) {
    return intoFlow(text, seq, inFlow(value));
  }
  const last = seq.items[seq.items.length - 1] as Node | undefined;
  const dash = last ? dashOf(text, last) : -1;
  if (dash < 0) {
    return null;
  }
  const indent = ' '.repeat(columnOf(text, dash));
  const at = lineEnd(text, contentEnd(text, last!));
  return `${text.slice(0, at)}\n${indent}- ${inItem(value, `${indent}  `)}${text.slice(at)}`;
}

// a map of several keys has each in a line of its own, as people write objects
function inItem(value: unknown, indent: string): string {
  const pairs = Object.entries(value as Record<string, unknown>);
  const lines = typeof value === 'object' && !Array.isArray(value) && pairs.length > 1;
  return lines ? pairs.map(([key, one]) => `${key}: ${inFlow(one)}`).join(`\n${indent}`) : inFlow(value).replace(/^\{(.*)\}$/s, '$1');
}

function cut(text: string, document: Doc, path: Path): string | null {
  const holder = (path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)) as Found;
  const pair = pairAt(document, path);
  const node = (pair ? pair.value : document.getIn(path, true)) as Node | null;
  const from = pair ? (pair.key as Node).range?.[0] : node?.range?.[0];
  if (from === undefined || !(isMap(holder) || isSeq(holder))) {
    return null;
  }
  if (isSeq(holder) && holder.items.length === 1) {
    return cut(text, document, path.slice(0, -1));
  }
  const to = node ? contentEnd(text, node) : lineEnd(text, from);
  if (isFlow(holder)) {
    const after = /^\s*,\s*/.exec(text.slice(to));
    const before = /,\s*$/.exec(text.slice(0, from));
    return after ? text.slice(0, from) + text.slice(to + after[0].length)
      : text.slice(0, from - (before?.[0].length ?? 0)) + text.slice(to);
  }
  const start = isSeq(holder) ? dashOf(text, node!) : from;
  const line = text.lastIndexOf('\n', start - 1) + 1;
  // a key right behind a dash cannot go without the next one taking its place
  return start < 0 || text.slice(line, start).trim() !== '' ? null : text.slice(0, line) + text.slice(lineEnd(text, to) + 1);
}

// ---- places ---------------------------------------------------------------------------------------

const isFlow = (node: Node): boolean => (isMap(node) || isSeq(node)) && node.flow === true;

function pairAt(document: Doc, path: Path): Pair | undefined {
  const map = (path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)) as Found;
  const key = path[path.length - 1];
  return isMap(map) ? (map as YAMLMap).items.find((pair) => isScalar(pair.key) && pair.key.value === key) : undefined;
}

function intoFlow(text: string, node: YAMLMap | YAMLSeq, written: string): string {
  const end = node.range![1] - 1; // of the bracket
  const before = text.slice(0, end).trimEnd();
  const first = node.items.length === 0;
  return before + (first ? '' : before.endsWith(',') ? ' ' : ', ') + written + text.slice(end);
}

// behind the last character of a value, without what is white behind it
function contentEnd(text: string, node: Node): number {
  if (!isFlow(node) && (isMap(node) || isSeq(node)) && node.items.length > 0) {
    const last = node.items[node.items.length - 1] as Node | Pair;
    const inner = isPair(last) ? ((last.value ?? last.key) as Node) : last;
    return contentEnd(text, inner);
  }
  return node.range![0] + text.slice(node.range![0], node.range![1]).trimEnd().length;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function columnOf(text: string, at: number): number {
  return at - text.lastIndexOf('\n', at - 1) - 1;
}

function dashOf(text: string, item: Node): number {
  const before = text.slice(0, item.range![0]);
  const found = /-\s*(?:&\S+\s+)?$/.exec(before);
  return found ? found.index : -1;
}

// SPDX-License-Identifier: MIT
// Tells the library a scene: YAML is read here, with the place of every value, and passed on value
// by value. What keys mean and what is wrong with them is the library's to say.

import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Document, Node, Pair, YAMLMap } from 'yaml';
import type { Module } from './module';

type Place = [line: number, column: number];

/** A wind that stands still: with it a page can set one going. */
const STILL_AIR = [['velocity', ['0', '0', '0']]] as const;

class Teller {
  private readonly module: Module;
  private readonly text: string;
  private readonly lines = new LineCounter();
  private readonly solvers: string[];

  constructor(module: Module, text: string, solvers: string[]) {
    this.module = module;
    this.text = text;
    this.solvers = solvers;
  }

  tell(addWind: boolean): void {
    const { call } = this.module;
    const document = parseDocument(this.text, {
      lineCounter: this.lines,
      schema: 'failsafe',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
    });
    const [fault] = document.errors;
    if (fault) {
      const [line, column] = this.place(fault.pos[0]);
      this.module.withText(fault.message, (message) => call.web_fail(line, column, message));
      return;
    }
    const root = document.contents;
    if (isMap(root)) {
      this.setSolvers(document, root);
    }
    if (isMap(root) && addWind) {
      this.mapWithWind(root);
    } else if (root) {
      this.value(root);
    }
  }

  // lines from 1; columns from 1 in bytes, as the library counts
  private place(offset: number): Place {
    const { line, col } = this.lines.linePos(offset);
    const before = this.text.slice(offset - (col - 1), offset);
    return [line, new TextEncoder().encode(before).length + 1];
  }

  private value(node: Node): void {
    const { call } = this.module;
    const place = this.place(node.range?.[0] ?? 0);
    if (isAlias(node)) {
      this.module.withText(node.source, (name) => call.web_alias(name, ...place));
      return;
    }
    const { anchor } = node as { anchor?: string };
    if (anchor) {
      this.module.withText(anchor, (name) => call.web_anchor(name, ...place));
    }
    if (isMap(node)) {
      call.web_map(...place);
      node.items.forEach((pair) => this.pair(pair as Pair<Node, Node>));
      call.web_end();
    } else if (isSeq(node)) {
      call.web_list_of(...place);
      node.items.forEach((item) => this.value(item as Node));
      call.web_end();
    } else if (isScalar(node)) {
      const plain = node.type === 'PLAIN';
      this.scalar(plain ? (node.source ?? '') : String(node.value ?? ''), !plain, place);
    }
  }

  private pair({ key, value }: Pair<Node, Node>): void {
    const place = this.place(key.range?.[0] ?? 0);
    if (!isScalar(key)) {
      this.module.withText('a key must be a text', (message) => this.module.call.web_fail(...place, message));
      return;
    }
    this.key(String(key.value ?? ''), place);
    if (value) {
      this.value(value);
    } else {
      this.scalar('', false, place);
    }
  }

  private key(text: string, place: Place): void {
    this.module.withText(text, (block, size) => this.module.call.web_key(block, size, ...place));
  }

  private scalar(text: string, quoted: boolean, place: Place): void {
    this.module.withText(text, (block, size) =>
      this.module.call.web_scalar(block, size, quoted ? 1 : 0, ...place));
  }

  // ---- solvers in place of the scene's ----------------------------------------------------------

  private setSolvers(document: Document, root: YAMLMap): void {
    const objects = root.get('objects', true);
    this.solvers.forEach((solver, k) => {
      const item = isSeq(objects) ? objects.items[k] : undefined;
      const object = isAlias(item) ? item.resolve(document) : item;
      if (isMap(object)) {
        object.delete('solver');
        object.add(document.createPair('solver', solver));
      }
    });
  }

  // ---- a wind that the scene does not have -------------------------------------------------------

  private mapWithWind(root: YAMLMap): void {
    const { call } = this.module;
    const loads = root.get('loads', true) as Node | undefined;
    const known = isSeq(loads) ? loads : null;
    const has = known?.items.some((item) => isMap(item) && item.has('wind')) ?? false;
    if (has || (loads && !known)) {
      return this.value(root);
    }
    const place = this.place(root.range?.[0] ?? 0);
    call.web_map(...place);
    for (const pair of root.items as Pair<Node, Node>[]) {
      if (!known || pair.value !== known) {
        this.pair(pair);
      }
    }
    this.key('loads', place);
    call.web_list_of(...place);
    known?.items.forEach((item) => this.value(item as Node));
    this.stillAir(place);
    call.web_end();
    call.web_end();
  }

  private stillAir(place: Place): void {
    const { call } = this.module;
    call.web_map(...place);
    this.key('wind', place);
    call.web_map(...place);
    for (const [key, values] of STILL_AIR) {
      this.key(key, place);
      call.web_list_of(...place);
      values.forEach((text) => this.scalar(text, false, place));
      call.web_end();
    }
    call.web_end();
    call.web_end();
  }
}

/**
 * Returns a status of the library; 0 is fine. `addWind`: a scene without wind gets one of 0 m/s.
 * `solvers`: of the objects, in the place of those that the scene gives.
 */
export function openScene(
  module: Module, file: string, text: string, addWind: boolean, solvers: string[] = [],
): number {
  const { call } = module;
  return module.withText(file, (name) => {
    module.withText(text, (block, size) => call.web_begin(name, block, size));
    new Teller(module, text, solvers).tell(addWind);
    return call.web_open(name);
  });
}

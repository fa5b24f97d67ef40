// SPDX-License-Identifier: MIT
// Which segments move as one, as colours: every cluster has its own, in the family of what its
// joints do; and the legend of the families.

import { byId, element, textElement } from './dom';
import { MODE, SEGMENT } from './protocol';
import type { Opened } from './protocol';

type Color = [number, number, number];

interface Family {
  name: string;
  text: string;
  /** sRGB, 0 to 255. */
  color: Color;
}

/** What a segment is a part of; the order is that of the legend. */
const FAMILIES: Family[] = [
  { name: 'active', text: 'moves by itself', color: [238, 137, 22] },
  { name: 'coarse', text: 'bends as one with its neighbours', color: [146, 84, 204] },
  { name: 'quasi-static', text: 'follows its loads at rest', color: [52, 160, 104] },
  { name: 'frozen', text: 'rigid for the moment', color: [44, 106, 196] },
  { name: 'whole', text: 'nothing is left out', color: [172, 172, 160] },
];
const [ACTIVE, COARSE, QUASISTATIC, FROZEN, WHOLE] = FAMILIES.keys();

const linear = (c: number): number => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);

const modeOf = (value: number): number => (value < 0 ? MODE.own : value & 3);

/** From 0 to 1 like chance, the same for the same number. */
function chance(number: number): number {
  const mixed = Math.imul(number + 1, 0x9e3779b1);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}

// lighter or darker, in linear light, and of a little other hue
function shadeOf(family: number, cluster: number): Color {
  const part = (k: number, most: number): number => (family === WHOLE ? 1 : most ** (2 * chance(4 * cluster + k) - 1));
  const by = 255 * part(3, 2);
  return FAMILIES[family].color.map((c, k) => Math.min(Math.round(by * part(k, 1.3) * linear(c)), 255)) as Color;
}

export class Clusters {
  /** How many segments each family has. */
  readonly counts = FAMILIES.map(() => 0);
  /** Of each segment: what carries it, and the first segment of its plant. */
  private readonly parents: Int32Array;
  private readonly firsts: Int32Array;
  private before: Int32Array | null = null;

  constructor({ actors, kinds, segments }: Opened) {
    this.parents = new Int32Array(segments);
    this.firsts = new Int32Array(segments);
    for (const { kind, first, segments: count } of actors) {
      for (let i = 0; i < count; i++) {
        const parent = kinds[kind].segments[SEGMENT.count * i + SEGMENT.parent];
        this.parents[first + i] = parent < 0 ? -1 : first + parent;
        this.firsts[first + i] = first;
      }
    }
  }

  /** Three bytes a segment, in linear light; null when nothing has changed. */
  colors(clusters: Int32Array): Uint8Array | null {
    if (this.before?.length === clusters.length && this.before.every((value, k) => value === clusters[k])) {
      return null;
    }
    this.before = clusters;
    const own = this.clusterOf(clusters);
    const families = this.familyOf(clusters, own);
    this.counts.fill(0);
    families.forEach((family) => this.counts[family]++);
    const out = new Uint8Array(3 * clusters.length);
    families.forEach((family, k) => out.set(shadeOf(family, own[k]), 3 * k));
    return out;
  }

  // joints that turn together are one group, which is at its first segment
  private clusterOf(clusters: Int32Array): Int32Array {
    const own = new Int32Array(clusters.length);
    clusters.forEach((value, k) => {
      const joined = modeOf(value) === MODE.joined && this.parents[k] >= 0;
      own[k] = joined ? own[this.parents[k]] : this.firsts[k] + (value >> 2);
    });
    return own;
  }

  private familyOf(clusters: Int32Array, own: Int32Array): Uint8Array {
    const groups = new Set<number>();
    const sizes = new Map<number, number>();
    clusters.forEach((value, k) => {
      if (modeOf(value) === MODE.joined) {
        groups.add(own[k]);
      }
      if (modeOf(value) !== MODE.quasistatic) {
        sizes.set(own[k], (sizes.get(own[k]) ?? 0) + 1);
      }
    });
    return Uint8Array.from(clusters, (value, k) => {
      if (value < 0) {
        return WHOLE;
      }
      if (modeOf(value) === MODE.quasistatic) {
        return QUASISTATIC;
      }
      return groups.has(own[k]) ? COARSE : sizes.get(own[k])! > 1 ? FROZEN : ACTIVE;
    });
  }

  /** Families that there are, or none. */
  static showLegend(counts: number[] | null): void {
    const list = byId('legend');
    list.hidden = counts === null;
    const rows = FAMILIES.flatMap(({ name, text, color }, k) => {
      if (!counts || (k === WHOLE && counts[k] === 0)) {
        return [];
      }
      const row = element('li');
      const patch = element('span', 'patch');
      patch.style.background = `rgb(${color.join(' ')})`;
      const said = element('span');
      said.append(textElement('b', name), ` ${counts[k]}`);
      said.title = text;
      row.append(patch, said);
      return [row];
    });
    list.replaceChildren(...rows);
  }
}

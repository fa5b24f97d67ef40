// SPDX-License-Identifier: MIT
// All that a page shows, in a link: what is grown, what was changed, and from where one looks.

import type { Overlay } from './overlays';
import type { Settings } from './settings';

export interface Shared {
  /** Name of an item of the library; or */
  item?: string;
  /** a file of its own, */
  file?: string;
  /** and texts that differ from the library's. */
  files?: Record<string, string>;
  settings?: Partial<Settings>;
  overlays?: Overlay[];
  speed?: number;
  paused?: boolean;
  /** Target, distance, azimuth, elevation. */
  view?: [number, number, number, number, number, number];
}

const MARK = '#t=';

async function pass(bytes: Uint8Array<ArrayBuffer>, through: TransformStream): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function toHash(shared: Shared): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(shared));
  const small = await pass(bytes, new CompressionStream('deflate-raw'));
  let binary = '';
  small.forEach((byte) => (binary += String.fromCharCode(byte)));
  return MARK + btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** null when there is none, or one that cannot be read. */
export async function fromHash(hash: string): Promise<Shared | null> {
  if (!hash.startsWith(MARK)) {
    return null;
  }
  try {
    const binary = atob(hash.slice(MARK.length).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const text = new TextDecoder().decode(await pass(bytes, new DecompressionStream('deflate-raw')));
    return JSON.parse(text) as Shared;
  } catch {
    return null;
  }
}

// SPDX-License-Identifier: MIT
// All that a page shows, in a link: what is grown, what was changed, from where one looks, and the
// motion, where it is small enough. Text and motion are packed each by itself, with a full stop
// between, which is none of the characters of packed bytes.

import type { Overlay } from './overlays';
import type { ViewNumbers } from './picture';
import type { Saved } from './protocol';
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
  view?: ViewNumbers;
  /** s, when the link was made. */
  time?: number;
  sliding?: Saved['sliding'];
}

const MARK = '#t=';
/** Bytes of packed motion, of about 450 a segment: links that are much longer get lost on the way. */
const MOST_MOTION = 48 << 10;

async function pass(bytes: Uint8Array<ArrayBuffer>, through: TransformStream): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function toText(bytes: Uint8Array): string {
  let binary = '';
  bytes.forEach((byte) => (binary += String.fromCharCode(byte)));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

const pack = (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  pass(bytes, new CompressionStream('deflate-raw'));
const unpack = (text: string): Promise<Uint8Array<ArrayBuffer>> =>
  pass(toBytes(text), new DecompressionStream('deflate-raw'));

/** `complete`: the motion is in it. */
export async function toHash(shared: Shared, motion: Uint8Array<ArrayBuffer>): Promise<{ hash: string; complete: boolean }> {
  const text = toText(await pack(new TextEncoder().encode(JSON.stringify(shared))));
  const moving = await pack(motion);
  const complete = motion.length > 0 && moving.length <= MOST_MOTION;
  return { hash: MARK + text + (complete ? `.${toText(moving)}` : ''), complete };
}

export function isLink(hash: string): boolean {
  return hash.startsWith(MARK);
}

/** null when there is none, or one that cannot be read. */
export async function fromHash(hash: string): Promise<{ shared: Shared; motion: Uint8Array<ArrayBuffer> | null } | null> {
  if (!isLink(hash)) {
    return null;
  }
  try {
    const [text, motion] = hash.slice(MARK.length).split('.');
    return {
      shared: JSON.parse(new TextDecoder().decode(await unpack(text))) as Shared,
      motion: motion ? await unpack(motion) : null,
    };
  } catch {
    return null;
  }
}

// SPDX-License-Identifier: MIT
// Binary data inside a page.

export function decodeBase64(text: string): ArrayBuffer {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) {
    bytes[i] = binary.charCodeAt(i);
  }
  return bytes.buffer;
}

/** The way back. btoa takes a string with a character a byte. */
export function encodeBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  const size = 3 * 8192; // whole groups of three bytes need no padding between them
  for (let i = 0; i < bytes.length; i += size) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(i, i + size))));
  }
  return pieces.join('');
}

export async function gunzip(bytes: ArrayBuffer): Promise<ArrayBuffer> {
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(plain).arrayBuffer();
}

/** As pages hold binary data: packed, in letters. */
export function unpack(text: string): Promise<ArrayBuffer> {
  return gunzip(decodeBase64(text));
}

export function joinBytes(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** What an element of the page holds, packed; null when there is none. It is read once. */
export async function readBytes(id: string): Promise<ArrayBuffer | null> {
  const element = document.getElementById(id);
  if (!element) {
    return null;
  }
  const bytes = await unpack(element.textContent!);
  element.textContent = '';
  return bytes;
}

export async function readText(id: string): Promise<string | null> {
  const bytes = await readBytes(id);
  return bytes && new TextDecoder().decode(bytes);
}

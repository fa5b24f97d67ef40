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

export async function gunzip(bytes: ArrayBuffer): Promise<ArrayBuffer> {
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(plain).arrayBuffer();
}

/** What an element of the page holds, packed; null when there is none. It is read once. */
export async function readBytes(id: string): Promise<ArrayBuffer | null> {
  const element = document.getElementById(id);
  if (!element) {
    return null;
  }
  const bytes = await gunzip(decodeBase64(element.textContent!));
  element.textContent = '';
  return bytes;
}

export async function readText(id: string): Promise<string | null> {
  const bytes = await readBytes(id);
  return bytes && new TextDecoder().decode(bytes);
}

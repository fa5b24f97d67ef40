// SPDX-License-Identifier: MIT
// WebM: the browser's VP9 encoder gives the pictures, this file the container, which is a tree of
// elements: id, size, and bytes or more elements (Matroska, RFC 9559).

import { joinBytes } from '../bytes';

const KEY_SECONDS = 2; // every so often a picture stands on its own, so that players can leap there
const QUANTIZER = 24; // of 0 to 63: no difference is seen beside the pictures it was given
const WAITING = 4; // pictures that the encoder may have before it

type Element = { id: number; body: Uint8Array | Element[] };

interface Chunk {
  key: boolean;
  time: number; // ms
  bytes: Uint8Array;
}

export class Webm {
  private readonly encoder: VideoEncoder;
  private readonly size: { width: number; height: number };
  private readonly fps: number;
  private readonly chunks: Chunk[] = [];
  private count = 0;
  private fault: Error | null = null;

  constructor(width: number, height: number, fps: number) {
    this.size = { width, height };
    this.fps = fps;
    this.encoder = new VideoEncoder({
      output: (chunk) => this.take(chunk),
      error: (error) => (this.fault = error),
    });
    this.encoder.configure({
      codec: 'vp09.00.51.08', // level 5.1: up to 4096 by 2176
      width,
      height,
      framerate: fps,
      bitrateMode: 'quantizer',
      latencyMode: 'quality',
    });
  }

  async add(picture: HTMLCanvasElement): Promise<void> {
    const frame = new VideoFrame(picture, {
      timestamp: Math.round((1e6 * this.count) / this.fps),
      duration: Math.round(1e6 / this.fps),
    });
    const keyFrame = this.count % Math.max(1, Math.round(KEY_SECONDS * this.fps)) === 0;
    this.encoder.encode(frame, { keyFrame, vp9: { quantizer: QUANTIZER } } as VideoEncoderEncodeOptions);
    frame.close();
    this.count++;
    while (this.encoder.encodeQueueSize > WAITING && !this.fault) {
      await new Promise((done) => setTimeout(done, 1));
    }
    this.check();
  }

  async finish(): Promise<Uint8Array> {
    await this.encoder.flush();
    this.check();
    const duration = (1000 * this.count) / this.fps;
    const segment = [info(duration), tracks(this.size, this.fps), ...clusters(this.chunks)];
    return joinBytes([HEADER, { id: 0x18538067, body: segment }].map(write));
  }

  private take(chunk: EncodedVideoChunk): void {
    const bytes = new Uint8Array(chunk.byteLength);
    chunk.copyTo(bytes);
    this.chunks.push({ key: chunk.type === 'key', time: Math.round(chunk.timestamp / 1000), bytes });
  }

  private check(): void {
    if (this.fault) {
      throw new Error(`the browser's video encoder stopped: ${this.fault.message}`);
    }
  }
}

const HEADER: Element = {
  id: 0x1a45dfa3,
  body: [
    { id: 0x4286, body: whole(1) }, // EBML version
    { id: 0x42f7, body: whole(1) }, // that a reader needs
    { id: 0x42f2, body: whole(4) }, // longest id
    { id: 0x42f3, body: whole(8) }, // longest size
    { id: 0x4282, body: text('webm') },
    { id: 0x4287, body: whole(4) }, // version of the document type
    { id: 0x4285, body: whole(2) },
  ],
};

function info(duration: number): Element {
  const body = new Uint8Array(8);
  new DataView(body.buffer).setFloat64(0, duration);
  return {
    id: 0x1549a966,
    body: [
      { id: 0x2ad7b1, body: whole(1e6) }, // ns that a unit of time lasts
      { id: 0x4489, body },
      { id: 0x4d80, body: text('Tendril') },
      { id: 0x5741, body: text('Tendril') },
    ],
  };
}

function tracks({ width, height }: { width: number; height: number }, fps: number): Element {
  const video = [
    { id: 0xb0, body: whole(width) },
    { id: 0xba, body: whole(height) },
  ];
  const track = [
    { id: 0xd7, body: whole(1) }, // number
    { id: 0x73c5, body: whole(1) }, // unique id
    { id: 0x83, body: whole(1) }, // video
    { id: 0x86, body: text('V_VP9') },
    { id: 0x23e383, body: whole(Math.round(1e9 / fps)) }, // ns a picture
    { id: 0xe0, body: video },
  ];
  return { id: 0x1654ae6b, body: [{ id: 0xae, body: track }] };
}

// One from each picture that stands on its own to the next: times within it have 16 bits.
function clusters(chunks: Chunk[]): Element[] {
  const all: Element[] = [];
  let start = 0;
  for (const { key, time, bytes } of chunks) {
    if (key) {
      start = time;
      all.push({ id: 0x1f43b675, body: [{ id: 0xe7, body: whole(time) }] });
    }
    const since = time - start;
    const head = new Uint8Array([0x81, since >> 8, since & 255, key ? 0x80 : 0]);
    (all[all.length - 1].body as Element[]).push({ id: 0xa3, body: joinBytes([head, bytes]) });
  }
  return all;
}

function write({ id, body }: Element): Uint8Array {
  const inner = body instanceof Uint8Array ? body : joinBytes(body.map(write));
  const size = new Uint8Array(8);
  new DataView(size.buffer).setBigUint64(0, BigInt(inner.length) | (1n << 56n)); // a size of 8 bytes
  return joinBytes([whole(id), size, inner]);
}

/** A whole number in as many bytes as it needs, the highest first. */
function whole(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let left = value; left > 0 || bytes.length === 0; left = Math.floor(left / 256)) {
    bytes.unshift(left % 256);
  }
  return new Uint8Array(bytes);
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

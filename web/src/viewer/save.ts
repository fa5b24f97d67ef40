// SPDX-License-Identifier: MIT
// Pictures, animations and videos, as files that the browser keeps.

export function download(data: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A video of a canvas, from start() to stop(). */
export class Video {
  private readonly canvas: HTMLCanvasElement;
  private recorder: MediaRecorder | null = null;
  private pieces: Blob[] = [];

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
  }

  static get offered(): boolean {
    return typeof MediaRecorder !== 'undefined' && 'captureStream' in HTMLCanvasElement.prototype;
  }

  get running(): boolean {
    return this.recorder !== null;
  }

  start(): void {
    const type = ['video/webm;codecs=vp9', 'video/webm', 'video/mp4'].find((one) => MediaRecorder.isTypeSupported(one));
    this.pieces = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 8e6 });
    this.recorder.ondataavailable = ({ data }) => this.pieces.push(data);
    this.recorder.start(1000);
  }

  stop(): Promise<Blob> {
    const recorder = this.recorder!;
    this.recorder = null;
    return new Promise((resolve) => {
      recorder.onstop = () => resolve(new Blob(this.pieces, { type: recorder.mimeType }));
      recorder.stop();
    });
  }
}

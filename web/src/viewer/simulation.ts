// SPDX-License-Identifier: MIT
// The page's side of the worker: asks, waits, and starts another when one does not answer.

import type { Answers, Fault, Opened, Request, Source } from './protocol';

/** After so long without an answer a worker is taken to be lost in its work. */
const PATIENCE = 20000; // ms

/** The library has refused something, and says why. */
export class Refused extends Error {
  readonly faults: Fault[];

  constructor(faults: Fault[]) {
    super(faults[0]?.text ?? 'refused');
    this.faults = faults;
  }
}

/** Not by its class, of which the page has two: that of its first script is another. */
export function isRefused(error: unknown): error is Refused {
  return error instanceof Error && 'faults' in error;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  timer: number;
}

export class Simulation {
  private readonly script: string;
  private readonly module: ArrayBuffer | string;
  private worker: Worker | null = null;
  /** The worker has the module. */
  loaded: Promise<unknown> = Promise.resolve();
  /** What will be opened first, and is on its way. */
  private expected: { source: Source; opened: Promise<Opened> } | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private nextId = 1;

  /** A module that is a string is packed, as a page holds it. */
  constructor(script: string, module: ArrayBuffer | string) {
    this.script = script;
    this.module = module;
    this.start();
  }

  /** This will be opened first, most likely: the worker begins. */
  expect(source: Source): void {
    const opened = this.send({ do: 'open', source }) as Promise<Opened>;
    opened.catch(() => undefined);
    this.expected = { source, opened };
  }

  /** One request; rejects with Refused, or with an Error when the worker was given up. */
  ask<T extends Request['do']>(request: Extract<Request, { do: T }>): Promise<Answers[T]> {
    const opened = this.expectedAnswer(request);
    if (opened) {
      return opened as Promise<Answers[T]>;
    }
    if (!this.worker) {
      this.start();
    }
    return this.send(request) as Promise<Answers[T]>;
  }

  private expectedAnswer(request: Request): Promise<Opened> | null {
    const { expected } = this;
    this.expected = null;
    const met = expected && request.do === 'open' && !request.solvers && isSame(request.source, expected.source);
    return met ? expected.opened : null;
  }

  private start(): void {
    const address = URL.createObjectURL(new Blob([this.script], { type: 'text/javascript' }));
    const worker = new Worker(address);
    worker.onmessage = ({ data }) => this.onAnswer(data);
    worker.onerror = (event) => this.giveUp(event.message || 'the simulation has failed');
    this.worker = worker;
    this.loaded = this.send({ do: 'load', module: this.module }).catch(() => undefined);
  }

  private send(request: Request): Promise<unknown> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      const timer = window.setTimeout(
        () => this.giveUp(`stopped: no answer within ${PATIENCE / 1000} s`), PATIENCE);
      this.waiting.set(id, { resolve, reject, timer });
      this.worker!.postMessage({ id, request });
    });
  }

  private onAnswer({ id, value, faults }: { id: number; value?: unknown; faults?: Fault[] }): void {
    const waiting = this.waiting.get(id);
    if (!waiting) {
      return;
    }
    this.waiting.delete(id);
    clearTimeout(waiting.timer);
    if (faults) {
      waiting.reject(new Refused(faults));
    } else {
      waiting.resolve(value);
    }
  }

  private giveUp(reason: string): void {
    this.worker?.terminate();
    this.worker = null;
    const lost = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject, timer } of lost) {
      clearTimeout(timer);
      reject(new Error(reason));
    }
  }
}

function isSame(a: Source, b: Source): boolean {
  const names = Object.keys(a.files);
  return a.file === b.file && a.text === b.text && names.length === Object.keys(b.files).length
    && names.every((name) => a.files[name] === b.files[name]);
}

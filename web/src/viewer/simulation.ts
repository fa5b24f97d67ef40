// SPDX-License-Identifier: MIT
// The page's side of the worker: asks, waits, and starts another when one does not answer.

import type { Answers, Fault, Request } from './protocol';

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

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  timer: number;
}

export class Simulation {
  private readonly script: string;
  private readonly module: ArrayBuffer;
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private nextId = 1;

  constructor(script: string, module: ArrayBuffer) {
    this.script = script;
    this.module = module;
  }

  /** One request; rejects with Refused, or with an Error when the worker was given up. */
  ask<T extends Request['do']>(request: Extract<Request, { do: T }>): Promise<Answers[T]> {
    if (!this.worker) {
      this.start();
    }
    return this.send(request) as Promise<Answers[T]>;
  }

  private start(): void {
    const address = URL.createObjectURL(new Blob([this.script], { type: 'text/javascript' }));
    const worker = new Worker(address);
    worker.onmessage = ({ data }) => this.onAnswer(data);
    worker.onerror = (event) => this.giveUp(event.message || 'the simulation has failed');
    this.worker = worker;
    this.send({ do: 'load', module: this.module }).catch(() => undefined);
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

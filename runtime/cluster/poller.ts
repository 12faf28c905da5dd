import { sharedNow } from "../core/clock.ts";
import { setImmediate } from "node:timers/promises";
import type { MpiRequest } from "./mpi.ts";

/** Number of polls between two turns of the event loop, which delivers messages. */
const POLLS_PER_TURN = 64;

/** Time without progress after which polls pause, in ms. */
const BUSY_MS = 2;

/** Pauses between polls in ms: up to a second without progress, and later. */
const SHORT_PAUSE_MS = 0.1;
const LONG_PAUSE_MS = 5;

interface Pending {
  readonly request: MpiRequest;
  resolve(time: number): void;
  reject(error: unknown): void;
}

/**
 * Polls requests until they are complete. MPI makes progress only while it is polled. Polls pause while the ranks wait for
 * each other, so that a rank that waits does not slow down those that it waits for; between other polls, threads that wait
 * for a core get a turn.
 */
export class Poller {
  readonly #yieldCore: () => void;
  readonly #pending = new Set<Pending>();
  readonly #pause = new Int32Array(new SharedArrayBuffer(4));
  /** Operations that all ranks have started, so that they transfer data. */
  #transfers = 0;
  #progress = 0;
  #running = false;

  /** @param yieldCore lets another thread run, if one waits for a core */
  constructor(yieldCore: () => void = () => {}) {
    this.#yieldCore = yieldCore;
  }

  /** Returns the time at which a request is complete. */
  complete(request: MpiRequest): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#pending.add({ request, resolve, reject });
      this.#progress = performance.now();
      if (!this.#running) void this.#run();
    });
  }

  /** Polls without pauses until a request that all ranks have started is complete. */
  async transfer(request: MpiRequest): Promise<number> {
    this.#transfers++;
    try {
      return await this.complete(request);
    } finally {
      this.#transfers--;
    }
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let polls = 1; this.#pending.size > 0; polls++) {
      for (const pending of this.#pending) this.#poll(pending);
      const idle = performance.now() - this.#progress;
      const pauses = idle > BUSY_MS && this.#transfers === 0;
      if (pauses) Atomics.wait(this.#pause, 0, 0, idle > 1000 ? LONG_PAUSE_MS : SHORT_PAUSE_MS);
      else this.#yieldCore();
      if (pauses || polls % POLLS_PER_TURN === 0) await setImmediate();
    }
    this.#running = false;
  }

  #poll(pending: Pending): void {
    try {
      if (!pending.request.test()) return;
      this.#progress = performance.now();
      pending.resolve(sharedNow());
    } catch (error) {
      pending.reject(error);
    }
    this.#pending.delete(pending);
  }
}

/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/**
 * Thread that calls MPI, so that all-reduces make progress and the rank shows signs of life while the main thread waits for
 * the device; see `mpi_thread.ts`.
 *
 * @module
 */
import { sharedNow } from "../core/clock.ts";
import { averageF16 } from "./average_f16.ts";
import { Pace } from "./emulated_network.ts";
import { Heartbeat } from "./heartbeat.ts";
import { Mpi, yieldCore } from "./mpi.ts";
import type { MpiOperation, MpiReply, MpiRequestMessage, MpiSetup, MpiTimes } from "./mpi_messages.ts";
import { Poller } from "./poller.ts";

const TAG = 78;

/** Messages that rank 0 exchanges with each rank; the fastest counts. */
const EXCHANGES = 20;

/** Runs the operations of the main thread in their order. */
class MpiServer {
  readonly #mpi: Mpi;
  readonly #pace: Pace | null;
  readonly #poller = new Poller(yieldCore);
  readonly #heartbeat: Heartbeat;
  /** Resolved once the next operation may start. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(setup: MpiSetup) {
    this.#pace = setup.network === null ? null : new Pace(setup.network);
    this.#mpi = Mpi.open(setup.launcher);
    this.#heartbeat = new Heartbeat(this.#mpi, setup.silence, (rank) => reply({ type: "lost", rank }));
    reply({ type: "opened", rank: this.#mpi.rank, size: this.#mpi.size });
  }

  /**
   * Runs an operation. Sums overlap with later operations; others, which start several collectives in turn, do not, because
   * all ranks must start collectives in the same order.
   */
  async run(id: number, operation: MpiOperation): Promise<void> {
    const started = Promise.withResolvers<void>();
    const before = this.#turn;
    this.#turn = started.promise;
    await before;
    try {
      const times = await this.#perform(operation, started.resolve);
      reply({ type: "done", id, times });
      if (operation.do === "leave") self.close();
    } finally {
      started.resolve();
    }
  }

  async #perform(operation: MpiOperation, onStarted: () => void): Promise<MpiTimes> {
    const posted = sharedNow();
    switch (operation.do) {
      case "sum": {
        const request = this.#mpi.allReduce(operation.values);
        onStarted();
        const done = await this.#poller.complete(request);
        return { posted, ready: done, done };
      }
      case "sum gradients": {
        const barrier = this.#mpi.barrier();
        const request = this.#mpi.allReduce(operation.values);
        onStarted();
        const ready = await this.#poller.complete(barrier);
        const done = await this.#poller.transfer(request);
        return { posted, ready, done: await this.#paced(ready, done, operation.values.byteLength, 1) };
      }
      case "average f16": {
        const ready = await this.#poller.complete(this.#mpi.barrier());
        const done = await averageF16(this.#mpi, this.#poller, operation.values);
        return { posted, ready, done: await this.#paced(ready, done, operation.values.byteLength, 2) };
      }
      case "broadcast": {
        const request = this.#mpi.broadcast(operation.bytes, operation.root);
        onStarted();
        const done = await this.#poller.complete(request);
        return { posted, ready: done, done };
      }
      case "compare clocks": {
        await compareClocks(this.#mpi, this.#poller, operation.offsets);
        const done = sharedNow();
        return { posted, ready: posted, done };
      }
      case "leave": {
        const done = await this.#poller.complete(this.#mpi.barrier());
        await this.#heartbeat.end(this.#poller);
        this.#mpi.finalize();
        return { posted, ready: done, done };
      }
    }
  }

  /** Delays the end of an operation as the emulated network does. */
  async #paced(ready: number, done: number, bytes: number, collectives: number): Promise<number> {
    const end = this.#pace?.endOf(ready, bytes, collectives) ?? done;
    if (end <= done) return done;
    return await this.#poller.complete({ test: () => sharedNow() >= end });
  }
}

function reply(message: MpiReply): void {
  self.postMessage(message);
}

let server: MpiServer | null = null;

self.onmessage = async ({ data: message }: MessageEvent<MpiRequestMessage>) => {
  try {
    if (message.type === "open") server = new MpiServer(message.setup);
    else await server?.run(message.id, message.operation);
  } catch (error) {
    reply({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  }
};

/**
 * Compares rank 0's clock with each rank's by messages to and fro. Rank 0 assumes that a rank read its clock halfway between
 * the two messages; half of the fastest round trip bounds the error.
 *
 * @param offsets receives on rank 0, for each rank, its clock minus rank 0's and the uncertainty, in ms
 */
async function compareClocks(
  mpi: Mpi,
  poller: Poller,
  offsets: Float64Array<SharedArrayBuffer>,
): Promise<void> {
  const value = new Float64Array(1);
  const bytes = new Uint8Array(value.buffer);
  for (let rank = 1; rank < mpi.size; rank++) {
    if (mpi.rank !== 0 && mpi.rank !== rank) continue;
    let best = Infinity;
    for (let i = 0; i < EXCHANGES; i++) {
      if (mpi.rank === 0) {
        const sent = sharedNow();
        await poller.transfer(mpi.send(bytes, rank, TAG));
        const received = await poller.transfer(mpi.receive(bytes, rank, TAG));
        const uncertainty = (received - sent) / 2;
        if (uncertainty >= best) continue;
        best = uncertainty;
        offsets[2 * rank] = value[0]! - (sent + received) / 2;
        offsets[2 * rank + 1] = uncertainty;
      } else {
        await poller.complete(mpi.receive(bytes, 0, TAG));
        value[0] = sharedNow();
        await poller.transfer(mpi.send(bytes, 0, TAG));
      }
    }
  }
}

import type { Mpi, MpiRequest } from "./mpi.ts";
import type { Poller } from "./poller.ts";

/** Interval of signs of life, in ms. */
const BEAT_MS = 500;

const TAG = 77;

/** Contents of messages: a sign of life, and the last message of a rank. Others are the number of a lost rank. */
const ALIVE = -1;
const LEAVING = -2;

interface Peer {
  readonly rank: number;
  readonly received: Int32Array<ArrayBuffer>;
  receive: MpiRequest;
  sent: MpiRequest | null;
  /** Own beats since the last sign. Not clock time, as a suspended job has not waited. */
  silent: number;
}

/**
 * Signs of life of the ranks, which each exchanges with rank 0. They come from the thread that calls MPI, so a rank that
 * compiles or waits for its device gives them too. Rank 0 reports a lost rank to the others.
 */
export class Heartbeat {
  readonly #mpi: Mpi;
  readonly #peers: Peer[];
  readonly #limit: number;
  readonly #onLost: (rank: number) => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #lost: number | null = null;

  /** @param silence seconds without a sign after which a rank is lost */
  constructor(mpi: Mpi, silence: number, onLost: (rank: number) => void) {
    this.#mpi = mpi;
    this.#limit = Math.max(2, Math.ceil(silence * 1000 / BEAT_MS));
    this.#onLost = onLost;
    const ranks = mpi.rank === 0 ? Array.from({ length: mpi.size - 1 }, (_, i) => i + 1) : [0];
    this.#peers = ranks.map((rank) => {
      const received = new Int32Array(1);
      return { rank, received, receive: this.#receive(rank, received), sent: null, silent: 0 };
    });
    this.#timer = setInterval(() => this.#beat(), BEAT_MS);
  }

  /** Sends no more signs, and receives those that are on their way. All ranks call it at the same time. */
  async end(poller: Poller): Promise<void> {
    clearInterval(this.#timer);
    for (const peer of this.#peers) {
      if (peer.sent !== null) await poller.complete(peer.sent);
      peer.sent = null;
      this.#send(peer, LEAVING);
    }
    for (const peer of this.#peers) {
      // The last message may have come while this rank was waiting for others
      if (peer.received[0] !== LEAVING) await poller.complete(peer.receive);
      while (peer.received[0] !== LEAVING) await poller.complete(this.#receive(peer.rank, peer.received));
      await poller.complete(peer.sent!);
    }
  }

  #receive(rank: number, into: Int32Array<ArrayBuffer>): MpiRequest {
    return this.#mpi.receive(new Uint8Array(into.buffer), rank, TAG);
  }

  #beat(): void {
    for (const peer of this.#peers) {
      if (peer.received[0] === LEAVING) continue;
      peer.silent++;
      while (peer.receive.test()) {
        peer.silent = 0;
        const [message] = peer.received;
        if (message === LEAVING) break;
        peer.receive = this.#receive(peer.rank, peer.received);
        if (message !== ALIVE) this.#lose(message!);
      }
      if (peer.silent > this.#limit) this.#lose(peer.rank);
    }
    for (const peer of this.#peers) this.#send(peer, ALIVE);
  }

  #lose(rank: number): void {
    if (this.#lost !== null) return;
    this.#lost = rank;
    if (this.#mpi.rank === 0) { for (const peer of this.#peers) this.#send(peer, rank); }
    this.#onLost(rank);
  }

  #send(peer: Peer, message: number): void {
    if (peer.sent !== null && !peer.sent.test()) return;
    const bytes = new Uint8Array(Int32Array.of(message).buffer);
    const request = this.#mpi.send(bytes, peer.rank, TAG);
    peer.sent = { test: () => request.test() && bytes.length > 0 }; // holds the bytes until they are sent
  }
}

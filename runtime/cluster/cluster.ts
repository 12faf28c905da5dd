import { hostname } from "node:os";
import { setImmediate } from "node:timers/promises";
import { environment } from "../device/environment.ts";
import { ClusterError } from "../core/errors.ts";
import { type Launcher, launcherOf } from "./launcher.ts";
import { Mpi, type MpiRequest } from "./mpi.ts";

/** Number of polls between two turns of the event loop. */
const POLLS_PER_TURN = 64;

/** Time in ms without an answer after which the other ranks count as lost. */
const SILENCE_MS = 120_000;

/** The processes that train together. Every rank calls the same methods in the same order. */
export class Cluster {
  readonly rank: number;
  readonly size: number;
  readonly #mpi: Mpi;
  #hosts: readonly string[] = [];

  private constructor(mpi: Mpi) {
    this.#mpi = mpi;
    this.rank = mpi.rank;
    this.size = mpi.size;
  }

  /** Loads MPI and joins the other ranks. */
  static async join(launcher: Launcher): Promise<Cluster> {
    const cluster = new Cluster(Mpi.open(launcher));
    cluster.#hosts = await cluster.gather(hostname());
    return cluster;
  }

  /** Returns a rank's name for messages, such as `rank 1 on node7`. */
  nameOf(rank: number): string {
    return `rank ${rank} on ${this.#hosts[rank] ?? "an unknown host"}`;
  }

  /** Number of ranks on this rank's host. */
  get ranksHere(): number {
    return this.#hosts.filter((host) => host === this.#hosts[this.rank]).length;
  }

  /** Starts to add the values of all ranks in place. */
  allReduce(values: Float32Array<ArrayBuffer>): MpiRequest {
    return this.#mpi.allReduce(values);
  }

  /** Adds the values of all ranks in place. */
  async sum(values: Float64Array<ArrayBuffer>): Promise<void> {
    await this.wait(this.#mpi.allReduce(values));
  }

  /** Returns one number from each rank, by rank. */
  async numbers(value: number): Promise<number[]> {
    const values = new Float64Array(this.size);
    values[this.rank] = value;
    await this.sum(values);
    return [...values];
  }

  /** Returns one text from each rank, by rank. */
  async gather(text: string): Promise<string[]> {
    const bytes = new TextEncoder().encode(text);
    const lengths = await this.numbers(bytes.length);
    const texts: string[] = [];
    for (const [rank, length] of lengths.entries()) {
      const part = rank === this.rank ? bytes : new Uint8Array(length);
      if (length > 0) await this.wait(this.#mpi.broadcast(part, rank));
      texts.push(new TextDecoder().decode(part));
    }
    return texts;
  }

  /** Sends a text of rank 0 to all others. */
  async broadcast(text: string): Promise<void> {
    await this.#fromFirst(new TextEncoder().encode(text), Infinity);
  }

  /** Receives the next text of rank 0, which may take any time. */
  async receive(): Promise<string> {
    return await this.#fromFirst(null, Infinity);
  }

  async #fromFirst(bytes: Uint8Array<ArrayBuffer> | null, limit: number): Promise<string> {
    const length = new Float64Array([bytes?.length ?? 0]);
    await this.wait(this.#mpi.broadcast(new Uint8Array(length.buffer), 0), limit);
    const content = bytes ?? new Uint8Array(length[0]!);
    await this.wait(this.#mpi.broadcast(content, 0));
    return new TextDecoder().decode(content);
  }

  /**
   * Polls a request until it is complete.
   *
   * @throws {ClusterError} if the other ranks do not answer within `limit` ms
   */
  async wait(request: MpiRequest, limit = silenceLimit()): Promise<void> {
    const start = performance.now();
    for (let polls = 1; !request.test(); polls++) {
      if (polls % POLLS_PER_TURN === 0) await setImmediate();
      const waited = performance.now() - start;
      if (waited > limit) {
        throw new ClusterError(
          `${this.nameOf(this.rank)} waited ${Math.round(waited / 1000)} s for the other ranks ` +
            `(${this.#others()}); one of them has stopped, or takes longer than TACHO_RANK_TIMEOUT`,
        );
      }
      // A rank that waits must not slow down those that it waits for
      if (waited > 5) await new Promise((resolve) => setTimeout(resolve, waited > 1000 ? 10 : 0));
    }
  }

  #others(): string {
    const others = Array.from({ length: this.size }, (_, rank) => rank).filter((rank) => rank !== this.rank);
    return others.map((rank) => this.nameOf(rank)).join(", ");
  }

  /** Leaves MPI. Every rank calls it after its last operation, and waits there for the others. */
  leave(): void {
    this.#mpi.finalize();
  }
}

let joined: Promise<Cluster> | null = null;

/**
 * Joins the ranks that a launcher such as `mpirun` has started, once per process. Returns null if this process was started
 * alone.
 *
 * @throws {ClusterError} if MPI cannot be loaded
 */
export function joinCluster(): Promise<Cluster> | null {
  const launcher = launcherOf();
  if (launcher === null) return null;
  return joined ??= Cluster.join(launcher);
}

function silenceLimit(): number {
  const seconds = Number(environment("TACHO_RANK_TIMEOUT"));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : SILENCE_MS;
}

import { hostname } from "node:os";
import { environment } from "../device/environment.ts";
import { ClusterError, InputError } from "../core/errors.ts";
import { within } from "../core/within.ts";
import { emulatedNetwork } from "./emulated_network.ts";
import { type Launcher, launcherOf } from "./launcher.ts";
import type { MpiTimes } from "./mpi_messages.ts";
import { MpiThread } from "./mpi_thread.ts";

/** Seconds without a sign of life after which a rank counts as lost. */
const SILENCE_S = 30;

/** A rank waits this many times as long for all ranks to start. */
const START_PATIENCE = 4;

/** A rank waits this many times as long for one that shows signs of life but does not answer. */
const PATIENCE = 20;

/** Clock of a rank relative to rank 0's, in ms. */
export interface ClockOffset {
  readonly offset: number;
  readonly uncertainty: number;
}

/** Times of an all-reduce on the axis of `performance.now()`, in ms. */
export type ReduceTimes = MpiTimes;

/** The processes that train together. Every rank calls the same methods in the same order. */
export class Cluster {
  readonly rank: number;
  readonly size: number;
  readonly #thread: MpiThread;
  readonly #silence: number;
  readonly #names: Names;
  /** Process ID of each rank. */
  pids: readonly number[] = [];
  /** True once every rank has begun to work, so that all wait for each other until the end. */
  begun = false;
  #left = false;

  private constructor(opened: { thread: MpiThread; rank: number; size: number }, silence: number, names: Names) {
    this.rank = opened.rank;
    this.size = opened.size;
    this.#thread = opened.thread;
    this.#silence = silence;
    this.#names = names;
  }

  /**
   * Loads MPI and joins the other ranks.
   *
   * @throws {ClusterError} if MPI cannot be loaded, or not all ranks join
   * @throws {InputError} if an environment variable has a wrong value
   */
  static async join(launcher: Launcher): Promise<Cluster> {
    const names = new Names();
    const silence = silenceLimit(environment("TACHO_RANK_TIMEOUT"));
    const network = emulatedNetwork(environment("TACHO_NETWORK"));
    const limit = silence * START_PATIENCE;
    const late = () =>
      new ClusterError(
        `rank ${launcher.rank} on ${hostname()} has waited ${limit} s for all ranks to join; another one has stopped, or ` +
          "has not reached run(). Ranks that start slowly need a higher TACHO_RANK_TIMEOUT; this is " +
          `${START_PATIENCE} times`,
      );
    const opened = await within(
      MpiThread.open({ launcher, silence, network }, (rank) => names.of(rank)),
      1000 * limit,
      late,
    );
    const cluster = new Cluster(opened, silence, names);
    names.hosts = await cluster.gather(hostname());
    cluster.pids = await cluster.numbers(Deno.pid);
    return cluster;
  }

  /** Returns a rank's name for messages, such as `rank 1 on node7`. */
  nameOf(rank: number): string {
    return this.#names.of(rank);
  }

  /** Host of each rank. */
  get hosts(): readonly string[] {
    return this.#names.hosts;
  }

  /** Number of ranks on this rank's host. */
  get ranksHere(): number {
    return this.hosts.filter((host) => host === this.hosts[this.rank]).length;
  }

  /** Error after which the ranks cannot work together any more; null while they can. */
  get failure(): ClusterError | null {
    return this.#thread.failure;
  }

  /** Rank that has shown no sign of life; null if there is none. */
  get lost(): number | null {
    return this.#thread.lost;
  }

  /** True once this rank has left the others or given them up. */
  get left(): boolean {
    return this.#left;
  }

  /** Adds gradients of all ranks in place. */
  async sumGradients(values: Float32Array<SharedArrayBuffer>): Promise<ReduceTimes> {
    return ownTimes(await this.#wait(this.#thread.run({ do: "sum gradients", values })));
  }

  /** Replaces gradients by their means over the ranks. Their number must be a multiple of the ranks'. */
  async averageF16(values: Float16Array<SharedArrayBuffer>): Promise<ReduceTimes> {
    return ownTimes(await this.#wait(this.#thread.run({ do: "average f16", values })));
  }

  /** Adds the values of all ranks. */
  async sum(values: ArrayLike<number>): Promise<Float64Array> {
    const shared = new Float64Array(new SharedArrayBuffer(values.length * 8));
    shared.set(values);
    await this.#wait(this.#thread.run({ do: "sum", values: shared }));
    return Float64Array.from(shared);
  }

  /** Returns one number from each rank, by rank. */
  async numbers(value: number): Promise<number[]> {
    const values = new Array<number>(this.size).fill(0);
    values[this.rank] = value;
    return [...await this.sum(values)];
  }

  /** Returns one text from each rank, by rank. */
  async gather(text: string): Promise<string[]> {
    const bytes = new TextEncoder().encode(text);
    const lengths = await this.numbers(bytes.length);
    const texts: string[] = [];
    for (const [rank, length] of lengths.entries()) {
      texts.push(length === 0 ? "" : await this.#copy(rank, length, bytes));
    }
    return texts;
  }

  /** Sends a text of rank 0 to all others. */
  async broadcast(text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    await this.#copy(0, 8, new Uint8Array(Float64Array.of(bytes.length).buffer));
    await this.#copy(0, bytes.length, bytes);
  }

  /** Receives the next text of rank 0, which may take any time. */
  async receive(): Promise<string> {
    const length = new Uint8Array(new SharedArrayBuffer(8));
    await this.#thread.run({ do: "broadcast", bytes: length, root: 0 });
    return await this.#copy(0, new Float64Array(length.buffer)[0]!, null);
  }

  /** Compares the ranks' clocks, on the axes of `performance.now()`. The result is meaningful on rank 0 alone. */
  async compareClocks(): Promise<ClockOffset[]> {
    const origins = await this.numbers(performance.timeOrigin);
    const offsets = new Float64Array(new SharedArrayBuffer(16 * this.size));
    await this.#wait(this.#thread.run({ do: "compare clocks", offsets }));
    return origins.map((origin, rank) => ({
      offset: offsets[2 * rank]! - (origin - origins[0]!),
      uncertainty: offsets[2 * rank + 1]!,
    }));
  }

  async #copy(root: number, length: number, content: Uint8Array | null): Promise<string> {
    const bytes = new Uint8Array(new SharedArrayBuffer(length));
    if (root === this.rank && content !== null) bytes.set(content);
    await this.#wait(this.#thread.run({ do: "broadcast", bytes, root }));
    return new TextDecoder().decode(Uint8Array.from(bytes));
  }

  /** @throws {ClusterError} if the other ranks live but do not answer */
  #wait<T>(answer: Promise<T>): Promise<T> {
    const limit = this.#silence * PATIENCE;
    const message = `${this.nameOf(this.rank)} has waited ${limit} s for the other ranks (${this.#others()}), ` +
      "which live but do not answer";
    return within(answer, 1000 * limit, () => new ClusterError(message));
  }

  #others(): string {
    const others = Array.from({ length: this.size }, (_, rank) => rank).filter((rank) => rank !== this.rank);
    return others.map((rank) => this.nameOf(rank)).join(", ");
  }

  /** Leaves MPI. Every rank calls it after its last operation, and waits there for the others. */
  async leave(): Promise<void> {
    this.#left = true;
    await this.#wait(this.#thread.run({ do: "leave" }));
    this.#thread.close();
  }

  /** Ends the thread that calls MPI without leaving the other ranks, which may be gone. */
  abandon(): void {
    this.#left = true;
    this.#thread.close();
  }
}

class Names {
  hosts: readonly string[] = [];

  of(rank: number): string {
    return `rank ${rank} on ${this.hosts[rank] ?? "an unknown host"}`;
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

/** Returns true once this process has begun to join the other ranks. */
export function hasJoined(): boolean {
  return joined !== null;
}

/** Returns the ranks that this process has joined; null if it has not tried, or failed. */
export async function joinedCluster(): Promise<Cluster | null> {
  try {
    return await joined;
  } catch {
    return null;
  }
}

/** @throws {InputError} if the value is not a positive number of seconds */
function silenceLimit(text: string | null): number {
  if (text === null || text === "") return SILENCE_S;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new InputError(`TACHO_RANK_TIMEOUT=${text}: expected seconds, such as 30`);
}

/** Returns times on this thread's axis. */
function ownTimes({ posted, ready, done }: MpiTimes): MpiTimes {
  const { timeOrigin } = performance;
  return { posted: posted - timeOrigin, ready: ready - timeOrigin, done: done - timeOrigin };
}

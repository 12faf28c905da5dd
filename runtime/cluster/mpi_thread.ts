import { ClusterError } from "../core/errors.ts";
import type { MpiOperation, MpiReply, MpiRequestMessage, MpiSetup, MpiTimes } from "./mpi_messages.ts";

/** The thread that calls MPI for this rank. */
export class MpiThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PromiseWithResolvers<MpiTimes>>();
  readonly #opened = Promise.withResolvers<{ rank: number; size: number }>();
  readonly #nameOf: (rank: number) => string;
  #next = 0;
  #failure: ClusterError | null = null;
  #lost: number | null = null;

  private constructor(setup: MpiSetup, nameOf: (rank: number) => string) {
    this.#nameOf = nameOf;
    this.#worker = new Worker(import.meta.resolve("./mpi_worker.ts"), { type: "module", name: "tacho-mpi" });
    this.#worker.onmessage = ({ data }: MessageEvent<MpiReply>) => this.#receive(data, setup.silence);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(new ClusterError(`The thread that calls MPI has failed: ${event.message}`));
    };
    this.#send({ type: "open", setup });
  }

  /**
   * Joins the ranks that a launcher has started.
   *
   * @param nameOf name of a rank, for messages
   * @throws {ClusterError} if the library cannot be loaded
   */
  static async open(
    setup: MpiSetup,
    nameOf: (rank: number) => string,
  ): Promise<{ thread: MpiThread; rank: number; size: number }> {
    const thread = new MpiThread(setup, nameOf);
    return { thread, ...await thread.#opened.promise };
  }

  /** Rank that has shown no sign of life; null if there is none. */
  get lost(): number | null {
    return this.#lost;
  }

  /** Error after which nothing can be requested; null while all ranks live. */
  get failure(): ClusterError | null {
    return this.#failure;
  }

  /**
   * Runs an operation together with the other ranks.
   *
   * @throws {ClusterError} if MPI fails, or a rank is lost
   */
  run(operation: MpiOperation): Promise<MpiTimes> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const id = this.#next++;
    const answer = Promise.withResolvers<MpiTimes>();
    this.#pending.set(id, answer);
    this.#send({ type: "run", id, operation });
    return answer.promise;
  }

  /** Ends the thread. */
  close(): void {
    this.#worker.terminate();
  }

  #send(message: MpiRequestMessage): void {
    this.#worker.postMessage(message);
  }

  #receive(message: MpiReply, silence: number): void {
    switch (message.type) {
      case "opened":
        return this.#opened.resolve(message);
      case "done":
        this.#pending.get(message.id)?.resolve(message.times);
        this.#pending.delete(message.id);
        return;
      case "failed":
        return this.#fail(new ClusterError(message.message));
      case "lost":
        this.#lost ??= message.rank;
        return this.#fail(
          new ClusterError(
            `${this.#nameOf(message.rank)} has shown no sign of life for ${silence} s (TACHO_RANK_TIMEOUT); ` +
              "it has died or is stopped, or its network is down",
          ),
        );
    }
  }

  #fail(error: ClusterError): void {
    this.#failure ??= error;
    this.#opened.promise.catch(() => {}); // nobody waits for it any more if it was resolved
    this.#opened.reject(this.#failure);
    for (const { promise, reject } of this.#pending.values()) {
      promise.catch(() => {}); // the caller may have stopped to wait
      reject(this.#failure);
    }
    this.#pending.clear();
  }
}

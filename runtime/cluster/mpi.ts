import { ClusterError } from "../core/errors.ts";
import { isFile } from "../core/files.ts";
import type { Launcher } from "./launcher.ts";
import { abiOf, type MpiAbi } from "./mpi_abi.ts";

/** Open MPI's plug-ins need the symbols of the library to be global. */
const RTLD_NOW_GLOBAL = 0x102;

const FUNCTIONS = {
  MPI_Init_thread: { parameters: ["usize", "usize", "i32", "buffer"], result: "i32" },
  MPI_Finalize: { parameters: [], result: "i32" },
  MPI_Comm_rank: { parameters: ["usize", "buffer"], result: "i32" },
  MPI_Comm_size: { parameters: ["usize", "buffer"], result: "i32" },
  MPI_Iallreduce: { parameters: ["usize", "buffer", "i32", "usize", "usize", "usize", "buffer"], result: "i32" },
  MPI_Ibcast: { parameters: ["buffer", "i32", "usize", "i32", "usize", "buffer"], result: "i32" },
  MPI_Ibarrier: { parameters: ["usize", "buffer"], result: "i32" },
  MPI_Ialltoall: {
    parameters: ["buffer", "i32", "usize", "buffer", "i32", "usize", "usize", "buffer"],
    result: "i32",
  },
  MPI_Iallgather: {
    parameters: ["buffer", "i32", "usize", "buffer", "i32", "usize", "usize", "buffer"],
    result: "i32",
  },
  MPI_Isend: { parameters: ["buffer", "i32", "usize", "i32", "i32", "usize", "buffer"], result: "i32" },
  MPI_Irecv: { parameters: ["buffer", "i32", "usize", "i32", "i32", "usize", "buffer"], result: "i32" },
  MPI_Test: { parameters: ["buffer", "buffer", "usize"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

type Functions = Deno.DynamicLibrary<typeof FUNCTIONS>["symbols"];

/** `MPI_THREAD_FUNNELED`: only the thread that starts MPI calls it. */
const THREAD_FUNNELED = 1;

/** Operation that runs in the background while {@linkcode MpiRequest.test} is called. */
export interface MpiRequest {
  /** Makes progress. Returns true once the operation is complete. */
  test(): boolean;
}

/** Bytes that MPI reads or writes, which may be in shared memory. */
export type MpiBytes = Uint8Array<ArrayBufferLike>;

/** Numbers that MPI adds, which may be in shared memory. */
export type MpiNumbers = Float32Array<ArrayBufferLike> | Float64Array<ArrayBufferLike>;

/**
 * Functions of an MPI library in the world communicator, for the thread that opened it. Buffers must stay unchanged until a
 * request is complete.
 */
export class Mpi {
  readonly rank: number;
  readonly size: number;
  readonly abi: MpiAbi;
  readonly #functions: Functions;
  readonly #flag = new Int32Array(1);

  private constructor(functions: Functions, abi: MpiAbi) {
    this.#functions = functions;
    this.abi = abi;
    const out = new Int32Array(1);
    this.#check("MPI_Init_thread", functions.MPI_Init_thread(0n, 0n, THREAD_FUNNELED, bytesOf(out)));
    this.#check("MPI_Comm_rank", functions.MPI_Comm_rank(abi.world, bytesOf(out)));
    this.rank = out[0]!;
    this.#check("MPI_Comm_size", functions.MPI_Comm_size(abi.world, bytesOf(out)));
    this.size = out[0]!;
  }

  /**
   * Loads the launcher's library and joins its ranks.
   *
   * @throws {ClusterError} if the library cannot be loaded, or does not know the launcher's ranks
   */
  static open(launcher: Launcher): Mpi {
    const library = launcher.libraries.find((name) => loadGlobally(name) !== null);
    if (library === undefined) {
      throw new ClusterError(
        `Cannot load the library of ${launcher.name} (${launcher.libraries.join(", ")}), which started this rank; ` +
          `install the package ${launcher.pack}, or set TACHO_MPI to the library's path`,
      );
    }
    const handle = loadGlobally(library)!;
    const address = (symbol: string) => {
      const found = libc().dlsym(handle, text(symbol));
      return found === null ? null : BigInt(Deno.UnsafePointer.value(found));
    };
    const mpi = new Mpi(functionsOf(library), abiOf(address));
    if (launcher.size !== null && launcher.size !== mpi.size) {
      throw new ClusterError(
        `${launcher.name} has started ${launcher.size} ranks, of which the MPI library ${library} sees ${mpi.size}: it ` +
          "belongs to another launcher; start the ranks with the library's own mpirun, or set TACHO_MPI to the launcher's library",
      );
    }
    return mpi;
  }

  /** Starts to add the values of all ranks in place. */
  allReduce(values: MpiNumbers): MpiRequest {
    const { world, float, double, sum, inPlace } = this.abi;
    const type = values instanceof Float32Array ? float : double;
    return this.#start(
      "MPI_Iallreduce",
      (request) => this.#functions.MPI_Iallreduce(inPlace, bytesOf(values), values.length, type, sum, world, request),
    );
  }

  /** Starts to wait until all ranks do so. */
  barrier(): MpiRequest {
    return this.#start("MPI_Ibarrier", (request) => this.#functions.MPI_Ibarrier(this.abi.world, request));
  }

  /** Starts to send part k of `from` to rank k, and to receive its part for this rank in part k of `to`. */
  allToAll(from: MpiBytes, to: MpiBytes): MpiRequest {
    const { world, byte } = this.abi;
    const [sent, received] = [from as Uint8Array<ArrayBuffer>, to as Uint8Array<ArrayBuffer>];
    const count = from.length / this.size;
    return this.#start(
      "MPI_Ialltoall",
      (request) => this.#functions.MPI_Ialltoall(sent, count, byte, received, count, byte, world, request),
    );
  }

  /** Starts to collect the bytes of all ranks, those of rank k in part k of `to`. */
  allGather(from: MpiBytes, to: MpiBytes): MpiRequest {
    const { world, byte } = this.abi;
    const [sent, received] = [from as Uint8Array<ArrayBuffer>, to as Uint8Array<ArrayBuffer>];
    return this.#start(
      "MPI_Iallgather",
      (request) => this.#functions.MPI_Iallgather(sent, sent.length, byte, received, sent.length, byte, world, request),
    );
  }

  /** Starts to send bytes to a rank. */
  send(bytes: Uint8Array<ArrayBuffer>, rank: number, tag: number): MpiRequest {
    const { world, byte } = this.abi;
    return this.#start(
      "MPI_Isend",
      (request) => this.#functions.MPI_Isend(bytes, bytes.length, byte, rank, tag, world, request),
    );
  }

  /** Starts to receive bytes of a rank. */
  receive(bytes: Uint8Array<ArrayBuffer>, rank: number, tag: number): MpiRequest {
    const { world, byte } = this.abi;
    return this.#start(
      "MPI_Irecv",
      (request) => this.#functions.MPI_Irecv(bytes, bytes.length, byte, rank, tag, world, request),
    );
  }

  /** Starts to copy the bytes of rank `root` to all others. */
  broadcast(content: MpiBytes, root: number): MpiRequest {
    const bytes = content as Uint8Array<ArrayBuffer>;
    const { world, byte } = this.abi;
    return this.#start(
      "MPI_Ibcast",
      (request) => this.#functions.MPI_Ibcast(bytes, bytes.length, byte, root, world, request),
    );
  }

  /** Leaves the ranks. Waits for all others to do so too. */
  finalize(): void {
    this.#check("MPI_Finalize", this.#functions.MPI_Finalize());
  }

  #start(
    name: string,
    call: (request: Uint8Array<ArrayBuffer>) => number,
  ): MpiRequest {
    const request = new Uint8Array(8);
    this.#check(name, call(request));
    return {
      test: () => {
        this.#check("MPI_Test", this.#functions.MPI_Test(request, bytesOf(this.#flag), this.abi.statusIgnore));
        return this.#flag[0] !== 0;
      },
    };
  }

  #check(name: string, code: number): void {
    if (code !== 0) throw new ClusterError(`${name} of ${this.abi.name} failed with error ${code}`);
  }
}

/** @throws {ClusterError} if the library lacks a function of MPI */
function functionsOf(library: string): Functions {
  try {
    return Deno.dlopen(library, FUNCTIONS).symbols;
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new ClusterError(`${library} is not an MPI library; expected MPI 3 or later (${reason})`, { cause });
  }
}

/** Returns the bytes of a view. Calls take views of shared memory, contrary to their types. */
function bytesOf(view: ArrayBufferView<ArrayBufferLike>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength) as Uint8Array<ArrayBuffer>;
}

function text(value: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${value}\0`);
}

/** Lets another thread run, if one waits for a core. */
export function yieldCore(): void {
  sched ??= Deno.dlopen("libc.so.6", { sched_yield: { parameters: [], result: "i32" } }).symbols;
  sched.sched_yield();
}

let sched: { sched_yield(): number } | null = null;

function libc() {
  return Deno.dlopen("libc.so.6", {
    dlopen: { parameters: ["buffer", "i32"], result: "pointer" },
    dlsym: { parameters: ["pointer", "buffer"], result: "pointer" },
  }).symbols;
}

function loadGlobally(name: string): Deno.PointerValue {
  if (name.includes("/") && !isFile(name)) return null;
  return libc().dlopen(text(name), RTLD_NOW_GLOBAL);
}

import { hashText } from "./hash.ts";
import { type RecordSink, RENDER_PASS, type SiteRecord } from "./records.ts";

/** A compute kernel. */
export interface Kernel {
  readonly index: number;
  /** Equal for the same code, entry point and constants in any run. */
  readonly symbol: number;
}

export interface KernelFacts {
  readonly label: string;
  readonly entryPoint: string;
  readonly hash: string;
  readonly constants: string;
  /** Describes the kernel; called once per kernel. */
  readonly describe: () => string;
}

/** Kernels of a device and the sites that dispatch them. Each is recorded once. */
export class KernelTable {
  readonly #device: number;
  readonly #sink: RecordSink;
  readonly #kernels = new Map<string, Kernel>();
  readonly #calls: number[] = [];
  readonly #sites = new Map<string, number>();
  /** False for the sites of render passes. */
  readonly #isKernel: boolean[] = [];

  constructor(device: number, sink: RecordSink) {
    this.#device = device;
    this.#sink = sink;
  }

  /** Dispatches of each kernel. */
  get calls(): readonly number[] {
    return this.#calls;
  }

  /** Counts a dispatch. */
  called({ index }: Kernel): void {
    this.#calls[index]!++;
  }

  /**
   * Returns a kernel, recording it at its first use.
   *
   * @param line returns the program's line that creates it
   */
  kernel(facts: KernelFacts, line: () => string | null): Kernel {
    const { label, entryPoint, hash, constants } = facts;
    const key = JSON.stringify([label, entryPoint, hash, constants]);
    let kernel = this.#kernels.get(key);
    if (kernel === undefined) {
      kernel = { index: this.#kernels.size, symbol: hashText(`${hash} ${entryPoint} ${constants}`) };
      this.#kernels.set(key, kernel);
      this.#calls.push(0);
      const named = { kernel: kernel.index, label, entryPoint, hash, does: facts.describe(), line: line() };
      this.#sink.write({ kind: "kernel", device: this.#device, ...named });
    }
    return kernel;
  }

  /** Returns the index of a site, recording it at its first dispatch. */
  site(facts: Omit<SiteRecord, "kind" | "device" | "site">): number {
    const { kernel, grid, bytes, line, pass } = facts;
    const key = `${kernel} ${grid} ${bytes} ${line} ${pass}`;
    let site = this.#sites.get(key);
    if (site === undefined) {
      site = this.#sites.size;
      this.#sites.set(key, site);
      this.#isKernel.push(kernel !== RENDER_PASS);
      this.#sink.write({ kind: "site", device: this.#device, site, ...facts });
    }
    return site;
  }

  /** Returns whether a site dispatches a kernel; false for render passes. */
  dispatches(site: number): boolean {
    return site >= 0 && this.#isKernel[site]!;
  }
}

/** Jiffies per second of `/proc/stat`. */
const HERTZ = 100;

/** CPU time that other processes use, from Linux's `/proc`. */
export class OtherLoad {
  readonly #busy: number;
  readonly #own: number;
  readonly #time = performance.now();

  private constructor() {
    [this.#busy, this.#own] = readTimes();
  }

  static start(): OtherLoad {
    return new OtherLoad();
  }

  /** Returns the CPU time of other processes since the start, in cores. */
  end(): number {
    const [busy, own] = readTimes();
    const seconds = (performance.now() - this.#time) / 1000;
    return Math.max(0, (busy - this.#busy - (own - this.#own)) / HERTZ / seconds);
  }
}

/** Returns the jiffies that all processes and this one have used. */
function readTimes(): [busy: number, own: number] {
  const [user, nice, system, , , irq, softirq, steal] = Deno.readTextFileSync("/proc/stat").split("\n")[0]!.trim()
    .split(/\s+/).slice(1).map(Number) as number[];
  const fields = Deno.readTextFileSync("/proc/self/stat").replace(/^.*\) /, "").split(" ");
  return [user! + nice! + system! + irq! + softirq! + steal!, Number(fields[11]) + Number(fields[12])];
}

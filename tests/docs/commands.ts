/** The commands of the README and the guide, and a copy of the repository in which they run as they are written. */
import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { allBlocks, commandsOf } from "./blocks.ts";
import { copyRepository } from "./copy.ts";

/**
 * Commands that other tests run, such as resuming an interrupted run and the page on several machines
 * (cluster/guide_test.ts), and benchmarks, which gate nothing.
 */
const ELSEWHERE =
  /^(sh scripts\/setup\.sh|tacho (resume|merge|submit|status|collect|bundle)|deno task|deno install|git|TACHO_KERNELS=gpu deno task)\b/;

/** Commands on a script outside the repository, which readme_test.ts runs, and on data that a user downloads. */
const NOT_HERE = /\bmine\.ts\b|--data cifar-10-batches-bin/;

/** Commands of the pages, each once, in their order. */
export const commands: readonly string[] = [...new Set(allBlocks("sh").flatMap(commandsOf))]
  .filter((command) => !ELSEWHERE.test(command) && !NOT_HERE.test(command));

/** Settings and flags that make a run of scripts/mlp.ts short. */
export const SHORT = "hidden=8 loader.batchSize=8 --steps 10 --skip 1 --rounds 2 --no-aa";

/** Two small runs of a script that the pages use, the second of which is the baseline for gates. */
const KEPT = [
  ...Array<string>(2).fill(`deno run -A scripts/mlp.ts ${SHORT} --quiet`),
  "deno run -A scripts/tacho.ts baseline set",
];

/** Copy of the repository with its own store that has some runs; removed on disposal. */
export class Clone implements AsyncDisposable {
  readonly #place: string;

  private constructor(place: string) {
    this.#place = place;
  }

  static async make(): Promise<Clone> {
    const clone = new Clone(await Deno.makeTempDir({ prefix: "tacho-docs-" }));
    await copyRepository(clone.#folder);
    for (const command of KEPT) await clone.succeed(command);
    return clone;
  }

  /** Runs a command in the folder of the copy. */
  async sh(command: string): Promise<{ code: number; text: string }> {
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", command],
      cwd: this.#folder,
      env: { TACHO_STORE: join(this.#place, "store"), NO_COLOR: "1" },
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    return { code, text: `${command}\n${decoder.decode(stdout)}${decoder.decode(stderr)}` };
  }

  /** Runs a command that must succeed. */
  async succeed(command: string): Promise<void> {
    const { code, text } = await this.sh(command);
    strictEqual(code, 0, text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#place, { recursive: true });
  }

  get #folder(): string {
    return join(this.#place, "clone");
  }
}

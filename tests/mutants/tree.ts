import { join } from "node:path";
import { type Mutant, mutated } from "./list.ts";

/** Result of a test file: passed, failed, or stopped after its time. */
export type Outcome = "passed" | "failed" | "timed out";

/** Tests of many kernels, which Mesa compiles without optimization, as in tests/run.ts. */
const KERNEL_TESTS = ["tests/ops/", "tests/nn/", "tests/models/", "tests/engine/", "tests/compile/"];

/** Copy of the repository's last commit, in which tests run on mutants. */
export class Tree implements AsyncDisposable {
  readonly root: string;
  readonly #temp: string;
  /** Sources without faults of the files that have some. */
  readonly #sources = new Map<string, string>();

  private constructor(temp: string) {
    this.#temp = temp;
    this.root = join(temp, "tree");
  }

  /** Copies the last commit of the repository at `root`. */
  static async copy(root: string): Promise<Tree> {
    const tree = new Tree(await Deno.makeTempDir({ prefix: "tacho-mutants-" }));
    const { success, stderr } = await new Deno.Command("git", {
      args: ["clone", "--quiet", "--no-hardlinks", root, tree.root],
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return tree;
  }

  /** Makes these faults and no others; returns false if one does not fit the text of its file. */
  async make(mutants: readonly Mutant[]): Promise<boolean> {
    for (const [file, source] of this.#sources) await Deno.writeTextFile(join(this.root, file), source);
    this.#sources.clear();
    let fit = true;
    for (const mutant of mutants) {
      const path = join(this.root, mutant.file);
      const source = await Deno.readTextFile(path).catch(() => "");
      const changed = mutated(source, mutant);
      if (changed === null) fit = false;
      else {
        if (!this.#sources.has(mutant.file)) this.#sources.set(mutant.file, source);
        await Deno.writeTextFile(path, changed);
      }
    }
    return fit;
  }

  /**
   * Runs a test file, without checking types, until its first failure.
   *
   * @param seconds time after which its processes are killed
   * @param full also runs what only `deno task test:full` runs
   */
  async test(
    file: string,
    { seconds, full = false, flags = [] }: { seconds: number; full?: boolean; flags?: readonly string[] },
  ): Promise<Outcome> {
    // Fresh caches, since a mutant could leave wrong data behind
    const kept = await Deno.makeTempDir({ dir: this.#temp });
    try {
      const child = new Deno.Command(Deno.execPath(), {
        args: [
          "test",
          "-A",
          "--quiet",
          "--no-check",
          "--fail-fast",
          "--lock=tests/deno.lock",
          ...flags,
          file,
        ],
        cwd: this.root,
        env: {
          DENO_NO_UPDATE_CHECK: "1",
          DENO_WEBGPU_BACKEND: "vulkan",
          XDG_RUNTIME_DIR: "/tmp",
          NO_COLOR: "1",
          ...(full ? { TACHO_TESTS: "full" } : {}),
          ...(KERNEL_TESTS.some((folder) => file.startsWith(folder)) ? { GALLIVM_PERF: "nopt" } : {}),
          TACHO_CACHE: join(kept, "cache"),
          TACHO_STORE: join(kept, "store"),
        },
        stdin: "null",
        stdout: "null",
        stderr: "null",
      }).spawn();
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        killTree(child.pid);
      }, seconds * 1000);
      const { success } = await child.status;
      clearTimeout(timer);
      return late ? "timed out" : success ? "passed" : "failed";
    } finally {
      await Deno.remove(kept, { recursive: true }).catch(() => {});
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#temp, { recursive: true }).catch(() => {});
  }
}

/** Kills a process and those that it has started. */
function killTree(pid: number): void {
  const children = new TextDecoder().decode(
    new Deno.Command("ps", { args: ["-o", "pid=", "--ppid", String(pid)] }).outputSync().stdout,
  );
  for (const child of children.split("\n").map(Number).filter((one) => one > 0)) killTree(child);
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // It has just ended
  }
}

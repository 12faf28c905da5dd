import { join } from "node:path";
import config from "../../../deno.json" with { type: "json" };
import { type Ended, Place } from "../tacho_process.ts";

const PROGRAM = join(import.meta.dirname!, "../../fixtures/programs/train.ts");

/** A git repository with a Tacho script `nets/train.ts` and a program `program.ts`. */
export class Repository implements AsyncDisposable {
  readonly place: Place;

  private constructor(place: Place) {
    this.place = place;
  }

  static async make(): Promise<Repository> {
    const repository = new Repository(await Place.make());
    const imports = { ...config.imports, "@tacho/tacho": import.meta.resolve("../../../mod.ts") };
    await repository.place.write(
      "repository/deno.json",
      JSON.stringify({ imports, lock: false, nodeModulesDir: "none" }),
    );
    await repository.place.write("repository/program.ts", await Deno.readTextFile(PROGRAM));
    await repository.git("init", "--quiet", "--initial-branch=main");
    return repository;
  }

  get folder(): string {
    return join(this.place.folder, "repository");
  }

  /** Runs git and returns its output. */
  async git(...args: string[]): Promise<string> {
    const identity = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"];
    const { success, stdout, stderr } = await new Deno.Command("git", {
      args: [...identity, ...args],
      cwd: this.folder,
      env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
    }).output();
    const decoder = new TextDecoder();
    if (!success) throw new Error(`git ${args.join(" ")}: ${decoder.decode(stderr)}`);
    return decoder.decode(stdout).trim();
  }

  /** Commits a script that runs a network of this many hidden layers; null for a script that throws. */
  async commit(message: string, layers: number | null): Promise<void> {
    await this.writeScript(layers, message);
    await this.git("add", "-A");
    await this.git("commit", "--quiet", "--message", message);
  }

  async writeScript(layers: number | null, comment: string): Promise<void> {
    const hidden = "linear(8), relu(), ".repeat(layers ?? 1);
    await this.place.write(
      "repository/nets/train.ts",
      `// ${comment}
      import { flatten, linear, relu, run, scenario, sequential, syntheticImages } from "@tacho/tacho";
      ${layers === null ? 'throw new Error("planted");' : ""}
      export default scenario({
        name: "small",
        model: sequential(flatten(), ${hidden}linear(4)),
        mode: "infer",
        data: syntheticImages({ length: 16, channels: 1, height: 2, width: 2, classes: 4 }),
        loader: { batchSize: 4 },
        measure: { maxSkip: 1, aa: false },
        variants: { baseline: {}, sink: { sink: 4 } },
      });
      if (import.meta.main) await run();\n`,
    );
  }

  /** Runs `tacho` in a folder of the repository, in the process of the test. */
  async tacho(args: readonly string[], folder = "nets"): Promise<Ended> {
    return await this.place.inside(args, {}, join("repository", folder));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.place[Symbol.asyncDispose]();
  }
}

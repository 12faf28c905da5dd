import assert from "node:assert/strict";
import { join } from "node:path";
import { openStore } from "../../runtime/store/store.ts";
import { entryPoints, tachoConfig } from "../../runtime/store/tacho_files.ts";
import { canStartSlurm, SlurmCluster } from "../support/slurm_cluster.ts";

const PAGE = new URL("../../docs/guide/cluster.md", import.meta.url);
const TACHO = new URL("../../scripts/tacho.ts", import.meta.url).pathname;

/** The script of the page. */
const SCRIPT = `import { crossEntropy, mlp, run, scenario, sgd, syntheticImages } from "@tacho/tacho";
export default scenario({
  name: "mlp",
  model: mlp({ hidden: [8], classes: 4 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05 }),
  data: syntheticImages({ channels: 1, height: 4, width: 4, classes: 4, length: 64 }),
  measure: { steps: 20, skip: 1, maxSkip: 1, rounds: 2 },
});
if (import.meta.main) await run();
`;

/** Returns the commands of a page, in order. */
function commandsOf(page: string): string[] {
  return [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block]) => block!.trimEnd().split("\n"));
}

Deno.test({
  name: "Slurm: the commands of the guide's page on more than one machine run as they stand",
  ignore: !canStartSlurm(),
  fn: async () => {
    const commands = commandsOf(await Deno.readTextFile(PAGE));
    for (const name of ["--shard 2/2", "submit", "status", "collect", "merge", "bundle", "--parallel"]) {
      assert(commands.some((command) => command.includes(name)), name);
    }
    await using cluster = await SlurmCluster.start();
    await Deno.writeTextFile(join(cluster.folder, "mlp.ts"), SCRIPT);
    const { imports, ...config } = tachoConfig();
    const project = { ...config, lock: false, imports: { ...imports, ...entryPoints() } };
    await Deno.writeTextFile(join(cluster.folder, "deno.json"), JSON.stringify(project));
    const bin = join(cluster.folder, "bin");
    await Deno.mkdir(bin);
    const launcher = `#!/bin/sh\nexec '${Deno.execPath()}' run -q -A --no-check '${TACHO}' "$@"\n`;
    await Deno.writeTextFile(join(bin, "tacho"), launcher, { mode: 0o755 });
    for (const command of commands) {
      await cluster.run("sh", "-c", `PATH=${bin}:$PATH; ${command}`);
      if (command.includes("submit")) await cluster.untilEmpty();
    }
    using store = openStore(join(cluster.folder, "store"));
    // Merged by hand, by the job, by collect and by hand again: the same shards give the same run
    const merged = store.find().filter(({ id }) => store.result(id)?.nodes !== undefined);
    assert.deepEqual(merged.map(({ status, variants }) => [status, variants]), Array(2).fill(["complete", 4]));
    await Deno.stat(join(cluster.folder, "mlp.shards", "report", "report.html"));
    await Deno.stat(join(cluster.folder, "out", "report.md"));
  },
});

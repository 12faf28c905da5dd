/** The package from its tarball, in an empty project. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { packNpm } from "./npm.ts";

const SCRIPT = `
import { crossEntropy, flatten, linear, run, scenario, sequential, sgd, syntheticImages, transforms as t } from "@tacho/tacho";

const halved = t.map(({ data }) => Float32Array.from(data, (value) => value / 2), { output: { dtype: "f32" } });

export default scenario({
  name: "packed",
  model: sequential(flatten(), linear(4)),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: syntheticImages({ channels: 1, height: 4, width: 4, classes: 4, length: 64, transforms: [halved] }),
  loader: { batchSize: 8, numWorkers: 2 },
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 2, aa: false },
});

if (import.meta.main) await run();
`;

Deno.test("the package runs a scenario in an empty project, and holds no tests, benchmarks or pictures", async () => {
  const project = await Deno.realPath(await Deno.makeTempDir({ prefix: "tacho-package-" }));
  try {
    const command = async (name: string, ...args: string[]) => {
      const { code, stdout, stderr } = await new Deno.Command(name, {
        args,
        cwd: project,
        env: { TACHO_STORE: join(project, "store"), NO_COLOR: "1" },
        stdin: "null",
      }).output();
      const text = new TextDecoder().decode(stdout);
      assert.equal(code, 0, text + new TextDecoder().decode(stderr));
      return text;
    };
    await packNpm(join(project, "tacho.tgz"));
    const files = (await command("tar", "tzf", "tacho.tgz")).split("\n");
    assert.deepEqual(files.filter((file) => /^package\/(tests|bench|docs|examples)\/|\.png$|[^d]\.ts$/.test(file)), []);
    await Deno.mkdir(join(project, "tacho"));
    await command("tar", "xzf", "tacho.tgz", "-C", "tacho", "--strip-components", "1");
    await Deno.writeTextFile(join(project, "deno.json"), '{ "imports": { "@tacho/tacho": "./tacho/mod.js" } }');
    await Deno.writeTextFile(join(project, "packed.ts"), SCRIPT);
    await command(Deno.execPath(), "run", "-A", "packed.ts", "--report", "out", "--quiet");
    assert((await Deno.stat(join(project, "out/report.html"))).size > 100_000);
    const verified = await command(Deno.execPath(), "run", "-A", "tacho/scripts/tacho.js", "verify", "last");
    assert.match(verified, /^\S+ +\d+ +identical$/m);
  } finally {
    await Deno.remove(project, { recursive: true });
  }
});

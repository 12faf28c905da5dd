/** An op that a script defines, outside the repository, is in every part of the output that lists ops. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { tempFolder } from "../../support/temp_folder.ts";

const root = join(import.meta.dirname!, "../../..");

const SCRIPT = `
import {
  add, crossEntropy, defineOp, layer, linear, mul, run, scenario, sequential, sgd, tensors,
} from ${JSON.stringify(pathToFileURL(join(root, "mod.ts")).href)};

const kernel = (name) => ({
  name,
  uniforms: ({ x }) => ({ width: x.shape.at(-1) }),
  invocations: ({ y }) => y.size,
  code: \`
    var sum = 0.0;
    for (var i = 0u; i < u.width; i++) { let v = load_x(index * u.width + i); sum += v * v; }
    store_y(index, 0.5 * sum);\`,
});
const halfSquare = defineOp({
  type: "zonk_square",
  inputs: ["x"],
  aliases: { paddle: "zonk_of_paddle" },
  shape: ({ x }) => ({ y: [...x.shape.slice(0, -1), 1] }),
  cost: ({ x }) => 2 * x.size,
  gradient: ({ inputs: { x }, gradients: { y } }) => ({ x: mul(x, y) }),
  kernels: [kernel("one"), kernel("other")],
});

export default scenario({
  name: "own-op",
  model: sequential({ fc: linear(64), zonk: layer((x) => add(x, mul(halfSquare(x), 0.01))), out: linear(2) }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01 }),
  data: tensors({
    input: { shape: [4], data: new Float32Array(64 * 4).fill(1) },
    target: { data: new Int32Array(64) },
    classes: 2,
  }),
  loader: { batchSize: 8 },
  measure: { steps: 1, skip: 1, maxSkip: 1, rounds: 1, opRounds: 1 },
  variants: { tuned: { compile: { autotune: { cache: "times.json" } } } },
});

if (import.meta.main) await run();
`;

Deno.test("tables, logs, autotune, trace, memory and report name a script's op", async () => {
  using temporary = tempFolder("tacho-own-op-");
  const folder = temporary.path;
  const script = join(folder, "main.ts");
  await Deno.writeTextFile(script, SCRIPT);
  const flags = "--no-aa --verbosity 2 --log paddle --no-store --report report".split(" ");
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", "--no-check", "--config", join(root, "deno.json"), script, ...flags],
    cwd: folder,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
  assert.equal(code, 0, err);
  assert.match(out, /^zonk_square .*zonk_square\.(one|other)\.f32/m, "autotune's table");
  assert.match(out, /^zonk_of_paddle /m, "Paddle's log");
  for (const file of ["report.html", "trace.json", "profile.csv"]) {
    assert.match(await Deno.readTextFile(join(folder, "report", file)), /zonk\.zonk_square/, file);
  }
  const result = JSON.parse(await Deno.readTextFile(join(folder, "report", "result.json")));
  const [variant] = result.variants;
  const [op] = variant.ops.filter(({ type }: { type: string }) => type === "zonk_square");
  assert.equal(op.flops, 2 * 8 * 64, "the op table's work");
  assert.ok(op.bytes > 0, "the roofline's bytes");
  assert.ok(JSON.stringify(variant.profile.memory).includes("zonk_square"), "the memory of a step");
  assert.ok(JSON.stringify(variant.autotune.ops).includes("zonk_square"), "autotune");
});

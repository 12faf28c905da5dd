/** Runs the examples in doc comments of the main exports. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname!, "..");

/** Files whose doc comments have an example for each of these exports; null for the example of the module itself. */
const EXAMPLES: Readonly<Record<string, readonly (string | null)[]>> = {
  "mod.ts": [null],
  "runtime/cli/run.ts": ["run"],
  "runtime/core/range.ts": ["range"],
  "runtime/data/sources/cifar10.ts": ["cifar10"],
  "runtime/data/transforms/factories.ts": [null],
  "runtime/device/device_event.ts": ["deviceEvent"],
  "runtime/library/bench.ts": ["bench"],
  "runtime/library/check_gates.ts": ["checkGates"],
  "runtime/library/compare_results.ts": ["compareResults"],
  "runtime/library/measure.ts": ["measure"],
  "runtime/library/profile.ts": ["profile"],
  "runtime/library/render.ts": ["render"],
  "runtime/nn/gpt.ts": ["gpt"],
  "runtime/nn/layer.ts": ["layer"],
  "runtime/nn/llama.ts": ["llama"],
  "runtime/nn/losses/cross_entropy.ts": ["crossEntropy"],
  "runtime/nn/lstm_language_model.ts": ["lstmLanguageModel"],
  "runtime/nn/optimizers/sgd.ts": ["sgd"],
  "runtime/nn/own_ops/define_op.ts": ["defineOp"],
  "runtime/nn/parameter.ts": ["parameter"],
  "runtime/nn/resnet.ts": ["resnet"],
  "runtime/nn/sequential.ts": ["sequential"],
  "runtime/nn/tied_linear.ts": ["tiedLinear"],
  "runtime/scenario/compose.ts": ["compose"],
  "runtime/scenario/definition.ts": ["scenario"],
  "runtime/trainer/check_gradient.ts": ["checkGradient"],
  "runtime/trainer/create_trainer.ts": ["createTrainer"],
};

Deno.test("the main exports have an example", async () => {
  for (const [file, names] of Object.entries(EXAMPLES)) {
    const code = await Deno.readTextFile(join(root, file));
    for (const name of names) {
      const before = name === null
        ? code.slice(0, code.indexOf("@module"))
        : code.slice(0, code.search(new RegExp(`^export (async )?function ${name}\\b`, "m")));
      assert.match(before.slice(before.lastIndexOf("/**")), /^ \* ```ts$/m, `${file}: ${name ?? "the module"}`);
    }
  }
});

Deno.test("the examples run", async () => {
  const config = await Deno.makeTempFile({ prefix: "tacho-examples-", suffix: ".json" });
  await Deno.writeTextFile(config, JSON.stringify(await exampleConfig()));
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--doc", "--quiet", "--no-lock", "--config", config, ...Object.keys(EXAMPLES)],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  await Deno.remove(config);
  const [output, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(code, 0, `${output}\n${errors}`);
  const passed = Number(output!.match(/(\d+) passed/)?.[1]);
  assert(passed >= Object.keys(EXAMPLES).length, output);
});

/** Returns Tacho's configuration without errors for unused names: each example gets imports of all exports of its file. */
async function exampleConfig() {
  const { imports, compilerOptions } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  return {
    imports: { ...imports, "@tacho/tacho": pathToFileURL(join(root, "mod.ts")).href },
    compilerOptions: { ...compilerOptions, noUnusedLocals: false, noUnusedParameters: false },
  };
}

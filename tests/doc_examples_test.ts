/** Runs the examples in doc comments of the main exports. tests/docs/extending_test.ts checks their types. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./docs/blocks.ts";
import { docExamples } from "./docs/doc_examples.ts";
import { onnxFile } from "./support/onnx_file.ts";

/** Files whose doc comments have an example for each of these exports; null for the example of the module itself. */
const EXPECTED: Readonly<Record<string, readonly (string | null)[]>> = {
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
  "runtime/onnx/onnx.ts": ["onnx"],
  "runtime/scenario/compose.ts": ["compose"],
  "runtime/scenario/definition.ts": ["scenario"],
  "runtime/trainer/check_gradient.ts": ["checkGradient"],
  "runtime/trainer/create_trainer.ts": ["createTrainer"],
};

Deno.test("the main exports have an example", async () => {
  for (const [file, names] of Object.entries(EXPECTED)) {
    const code = await Deno.readTextFile(join(ROOT, file));
    for (const name of names) {
      const before = name === null
        ? code.slice(0, code.indexOf("@module"))
        : code.slice(0, code.search(new RegExp(`^export (async )?function ${name}\\b`, "m")));
      assert.match(before.slice(before.lastIndexOf("/**")), /^ \* ```ts$/m, `${file}: ${name ?? "the module"}`);
    }
  }
});

/** Model that an example reads: flattens images and multiplies them with a matrix. */
const PERCEPTRON = onnxFile({
  inputs: [{ name: "x", shape: ["n", 3, 32, 32] }],
  outputs: [{ name: "y" }],
  nodes: [
    { type: "Flatten", inputs: ["x"], outputs: ["rows"] },
    { type: "MatMul", inputs: ["rows", "weight"], outputs: ["y"] },
  ],
  initializers: [{ name: "weight", shape: [3072, 10], values: new Array<number>(30_720).fill(0) }],
});

for (const { name, text } of docExamples()) {
  Deno.test(`the example runs: ${name}`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "tacho-example-" });
    const file = join(folder, "example.ts");
    const before = Deno.cwd();
    try {
      Deno.chdir(folder);
      await Deno.writeFile("model.onnx", PERCEPTRON);
      const mod = JSON.stringify(pathToFileURL(join(ROOT, "mod.ts")).href);
      await Deno.writeTextFile(file, text.replaceAll('"@tacho/tacho"', mod));
      await import(pathToFileURL(file).href);
    } finally {
      Deno.chdir(before);
      await Deno.remove(folder, { recursive: true });
    }
  });
}

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { type FileModel, onnxFile } from "../../support/onnx_file.ts";
import { tacho } from "./tacho_process.ts";

const model: FileModel = {
  inputs: [{ name: "left", shape: ["batch", "length", 3] }, { name: "right", type: "int64", shape: ["batch", 1, 3] }],
  outputs: [{ name: "y", shape: ["batch", "length", 3] }],
  nodes: [
    { type: "Sign", inputs: ["right"], outputs: ["unused"] },
    { type: "Mul", inputs: ["left", "scale"], outputs: ["y"] },
  ],
  initializers: [{ name: "scale", shape: [1, 3], values: [1, 2, 3] }],
};

Deno.test("tacho onnx describes a file and writes a scenario that runs", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const file = join(folder, "a b#1.onnx");
    const script = join(folder, "scenario.ts");
    await Deno.writeFile(file, onnxFile(model));
    const [shown, json, batch, unknown, open] = await Promise.all([
      tacho(folder, "onnx", file),
      tacho(folder, "onnx", file, "--json"),
      tacho(folder, "onnx", file, "--script", script, "--size", "batch=2"),
      tacho(folder, "onnx", file, "--script", script, "--size", "width=2"),
      tacho(folder, "onnx", file, "--script", script),
    ]);
    deepStrictEqual([shown.code, shown.stderr], [0, ""]);
    match(shown.stdout, /a b#1\.onnx · tests · opset 17 · 2 nodes · 3 weights · Tacho has all operators/);
    match(shown.stdout, /input +right +int64\[batch, 1, 3\]/);
    match(shown.stdout, /Mul +1 +yes/);
    deepStrictEqual(JSON.parse(json.stdout).operators, [
      { name: "Mul", nodes: 1, supported: true },
      { name: "Sign", nodes: 1, supported: true },
    ]);
    match(batch.stderr, /batch is the batch dimension; use --batch-size 2/);
    match(unknown.stderr, /has an open dimension "width"; expected length/);
    match(
      open.stderr,
      /the size of length in the input "left", float32\[batch, length, 3\], is open; add --size length=N/,
    );
    deepStrictEqual([batch.code, unknown.code, open.code], [2, 2, 2]);

    strictEqual((await tacho(folder, "onnx", file, "--script", script, "--size", "length=5")).code, 0);
    match((await tacho(folder, "onnx", file, "--script", script, "--size", "length=5")).stderr, /exists already/);
    const planned = await tacho(folder, "run", script, "--dry-run");
    deepStrictEqual([planned.code, planned.stderr], [0, ""]);
    match(planned.stdout, /baseline/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

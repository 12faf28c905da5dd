import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { type FileModel, onnxFile } from "../../support/onnx_file.ts";
import { tachoHere } from "../tacho_here.ts";
import { tacho } from "./tacho_process.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

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
  await using temporary = await temporaryFolder();
  const { path: folder } = temporary;
  const file = join(folder, "a b#1.onnx");
  const script = join(folder, "scenario.ts");
  await Deno.writeFile(file, onnxFile(model));
  const [shown, json, batch, unknown, open] = await Promise.all([
    tachoHere(folder, "onnx", file),
    tachoHere(folder, "onnx", file, "--json"),
    tachoHere(folder, "onnx", file, "--script", script, "--size", "batch=2"),
    tachoHere(folder, "onnx", file, "--script", script, "--size", "width=2"),
    tachoHere(folder, "onnx", file, "--script", script),
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

  strictEqual((await tachoHere(folder, "onnx", file, "--script", script, "--size", "length=5")).code, 0);
  match((await tachoHere(folder, "onnx", file, "--script", script, "--size", "length=5")).stderr, /exists already/);
  const planned = await tacho(folder, "run", script, "--dry-run");
  deepStrictEqual([planned.code, planned.stderr], [0, ""]);
  match(planned.stdout, /baseline/);
});

Deno.test("a written scenario runs for inputs of any name, and none is written for sizes that no array has", async () => {
  await using temporary = await temporaryFolder();
  const { path: folder } = temporary;
  const names = ["input", "target", "a:0", "x.1", "onnx::Add_1", "", "__proto__", "constructor", 'q"\n`${0}', "é"];
  const write = (name: string, file: FileModel) => Deno.writeFile(join(folder, name), onnxFile(file));
  const sum = { type: "Sum", inputs: names.filter((name) => name !== ""), outputs: ["y"] };
  const outputs = [{ name: "y" }];
  await write("names.onnx", { inputs: names.map((name) => ({ name, shape: ["n", 3] })), outputs, nodes: [sum] });
  const relu = { type: "Relu", inputs: ["x"], outputs: ["y"] };
  const sized = (size: number | string) => ({ inputs: [{ name: "x", shape: ["n", size] }], outputs, nodes: [relu] });
  await write("huge.onnx", sized(2 ** 40));
  await write("large.onnx", sized(1 << 27));
  await write("none.onnx", sized(0));
  await write("open.onnx", sized("width"));
  const kept = { name: "k", shape: [1], type: "int64" as const, values: [9] };
  const top = { type: "TopK", inputs: ["x", "k"], outputs: ["y", "places"] };
  await write("top.onnx", { ...sized(4), nodes: [top], initializers: [kept] });
  const at = (name: string) => join(folder, name);
  const script = (name: string, ...rest: string[]) => ["onnx", at(name), "--script", at(`${name}.ts`), ...rest];
  const [written, huge, large, none, wide, shown, json, open] = await Promise.all([
    tachoHere(folder, ...script("names.onnx")),
    tachoHere(folder, ...script("huge.onnx")),
    tachoHere(folder, ...script("large.onnx")),
    tachoHere(folder, ...script("none.onnx")),
    tachoHere(folder, ...script("open.onnx", "--size", "width=99999999999999999999")),
    tachoHere(folder, ...script("top.onnx")),
    tachoHere(folder, "onnx", at("top.onnx"), "--json"),
    tachoHere(folder, "onnx", at("open.onnx")),
  ]);
  deepStrictEqual([written.code, written.stderr], [0, ""]);
  const planned = await tacho(folder, "run", at("names.onnx.ts"), "--dry-run");
  deepStrictEqual([planned.code, planned.stderr], [0, ""]);

  match(
    huge.stderr,
    /huge\.onnx\.ts is not written: model: the batch's x \[8, 1099511627776\] has 8796093022208 elements/,
  );
  match(
    large.stderr,
    /32 samples of float32\[n, 134217728\] have 4294967296 elements; expected at most 268435456:/,
  );
  match(none.stderr, /dimension 1 of the input "x", float32\[n, 0\], is 0; expected at least 1|not written/);
  match(wide.stderr, /--size: expected the name of a dimension and its size/);
  match(shown.stdout, /Tacho does not build it\n\n.*TopK of top\.onnx: k is 9 for 4 elements/);
  match(shown.stderr, /top\.onnx\.ts is not written: .*k is 9 for 4 elements/);
  deepStrictEqual([huge.code, large.code, none.code, wide.code, shown.code], [2, 2, 2, 2, 2]);
  deepStrictEqual([JSON.parse(json.stdout).builds, json.code], [false, 0]);
  match(open.stdout, /Tacho has all operators/);
});

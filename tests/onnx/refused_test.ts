/** Files of other kinds, and models that cannot be run: messages that name what is wrong, before memory is taken. */
import { throws } from "node:assert/strict";
import { join } from "node:path";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { openModel } from "../../runtime/onnx/open_model.ts";
import { type FileModel, type FileNode, type FileTensor, onnxFile } from "../support/onnx_file.ts";
import { tempFolder } from "../support/temp_folder.ts";

/** Reads a file and applies it to tensors of the sizes that it gives, 3 for open ones. */
function read(file: Uint8Array | string): void {
  const model = openModel(file, null, []);
  const graph = new Graph("infer");
  const tensors = Object.fromEntries(model.inputs.map(({ name, shape }, i) => {
    const sizes = (shape ?? [3, 2]).map((n) => typeof n === "number" ? n : 3);
    return [name, graph.leaf("input", `@${i}`, rowMajor(sizes, "f32"))];
  }));
  const [first] = Object.values(tensors);
  if (model.inputs.length === 1) model(first!);
  else model(tensors);
}

const around = { inputs: [{ name: "x", shape: ["n", 2] }], outputs: [{ name: "y" }] };
const relu = (from: string, to: string): FileNode => ({ type: "Relu", inputs: [from], outputs: [to] });
const whole = (name: string, ...values: number[]): FileTensor => ({
  name,
  type: "int64",
  shape: [values.length],
  values,
});

Deno.test("other files are named", () => {
  const text = (content: string) => new TextEncoder().encode(content);
  const others: readonly [Uint8Array, RegExp][] = [
    [text("<!DOCTYPE html><html>"), /it is a web page; download the file itself/],
    [text("version https://git-lfs.github.com/spec/v1\n"), /it is a pointer of Git LFS/],
    [text('\x38\0\0\0\0\0\0\0{"w":{"dtype":"F32"}}'), /it is a safetensors file/],
    [text("PK\x03\x04\0\0"), /it is a zip archive, such as a checkpoint of torch.save/],
    [new Uint8Array(64), /onnx: model: the file is damaged: illegal tag/],
    [Uint8Array.of(0x3a, 0xff, 0xff, 0xff, 0xff, 7), /the file is damaged: premature EOF/],
    [new Uint8Array(9999).fill(0x0b), /the file is damaged: maximum recursion depth reached/],
  ];
  for (const [content, message] of others) throws(() => read(content), { name: "InputError", message });
});

Deno.test("graphs that cannot be run are refused", () => {
  const add = (name: string): FileNode => ({ type: "Add", inputs: ["x", name], outputs: ["y"] });
  const refused: readonly [Partial<FileModel>, RegExp][] = [
    [{ opset: 0 }, /the version of its operators is 0; expected 1 to 99/],
    [{ opset: 999 }, /the version of its operators is 999/],
    [{ nodes: [add("b"), relu("y", "b")] }, /Add reads "b", which no node before it computes/],
    [{ nodes: [relu("x", "y"), relu("x", "y")] }, /two nodes compute "y", the second is Relu/],
    [{ initializers: [whole("w", 1), whole("w", 2)] }, /two initializers are called "w"/],
    [
      {
        nodes: [{ ...relu("x", "y"), type: "Twice", domain: "own" }],
        functions: [{
          name: "Twice",
          domain: "own",
          inputs: ["a"],
          outputs: ["b"],
          nodes: [{ ...relu("a", "b"), type: "Twice", domain: "own" }],
        }],
      },
      /^onnx: model: the function own.Twice calls itself$/,
    ],
    [{ nodes: [] }, /no node computes the output "y"/],
    [{ nodes: [{ ...relu("x", "y"), inputs: [] }] }, /Relu of model: expected an input 0, got 0 inputs/],
    [
      {
        nodes: [{ type: "Expand", inputs: ["w", "s"], outputs: ["large"] }, add("large")],
        initializers: [whole("w", 1), whole("s", 2 ** 40, 2)],
      },
      /Expand: needs 2199023255554 elements of constants; expected at most 33555052 in the whole model/,
    ],
  ];
  for (const [change, message] of refused) {
    const content = onnxFile({ ...around, nodes: [relu("x", "y")], ...change });
    throws(() => read(content), { name: "InputError", message });
  }
});

/** A model that adds a tensor, of these sizes and without elements, or at a place in another file. */
function adding(shape: readonly number[], external: Readonly<Record<string, string>> | null): Uint8Array<ArrayBuffer> {
  const tensor = { name: "w", shape, values: [], ...external === null ? {} : { external } };
  return onnxFile({
    ...around,
    nodes: [{ type: "Add", inputs: ["x", "w"], outputs: ["y"] }],
    initializers: [tensor],
  });
}

Deno.test("tensors whose elements are missing are refused before memory is taken for them", () => {
  using temporary = tempFolder();
  const folder = temporary.path;
  const path = join(folder, "m.onnx");
  Deno.writeFileSync(join(folder, "w.bin"), new Uint8Array(16));
  const short = /at bytes 12 to 20, which has 16 bytes; is it complete\?/;
  const outside = /expected a file in the folder of the model/;
  const refused: readonly [readonly number[], Readonly<Record<string, string>> | null, RegExp][] = [
    [[2 ** 40, 2 ** 40], null, /the tensor "w" has 0 bytes; expected 4.835703278458517e\+24 for the shape/],
    [new Array<number>(1000).fill(1), null, /has 1000 dimensions; expected at most 64/],
    [[2], { location: "w.bin", offset: "12" }, short],
    [[2], { location: "w.bin", length: "99" }, /has 99 bytes; expected 8 for the shape \[2\]/],
    [[2], { location: "w.bin", offset: "-1" }, /is in another file at -1; expected a number of bytes/],
    [[2], { location: "/dev/zero" }, outside],
    [[2], {}, outside],
  ];
  for (const [sizes, place, message] of refused) {
    Deno.writeFileSync(path, adding(sizes, place));
    throws(() => read(path), { name: "InputError", message });
  }
  Deno.writeFileSync(path, adding([2], { location: "w.bin", offset: "8" }));
  read(path);
});

import { deepStrictEqual, throws } from "node:assert/strict";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { inputFields } from "../../runtime/onnx/value_info.ts";
import { openModel } from "../../runtime/onnx/open_model.ts";
import { onnxFile } from "../support/onnx_file.ts";

Deno.test("each input has a field of the data, under its own name where the data can have it", () => {
  deepStrictEqual(inputFields(["tokens", "constructor", "x_1"]), ["tokens", "constructor", "x_1"]);
  deepStrictEqual(inputFields(["x.1", "x_1", "x:1", "onnx::Add_1"]), ["x_1_2", "x_1", "x_1_3", "onnx_Add_1"]);
  deepStrictEqual(inputFields(["input", "target", "a:0"]), ["input_", "target_", "a_0"]);
  deepStrictEqual(inputFields(["", "0", "__proto__", 'a"\n`', "été"]), [
    "input_",
    "input_0",
    "input___proto__",
    "a_",
    "input__t_",
  ]);
  deepStrictEqual(inputFields(["n".repeat(500) + ".", "?"]), ["n".repeat(60), "input__"]);
});

Deno.test("a model takes tensors by the names of its inputs or by those of the fields", () => {
  const model = openModel(
    onnxFile({
      inputs: [{ name: "input" }, { name: "x.1" }, { name: "__proto__" }],
      outputs: [{ name: "y" }],
      nodes: [{ type: "Sum", inputs: ["input", "x.1", "__proto__"], outputs: ["y"] }],
    }),
    null,
    [],
  );
  deepStrictEqual(model.inputs.map(({ field }) => field), ["input_", "x_1", "input___proto__"]);
  const graph = new Graph("infer");
  const x = graph.leaf("input", "@x", rowMajor([2, 3], "f32"));
  deepStrictEqual(model({ input_: x, x_1: x, input___proto__: x }).shape, [2, 3]);
  deepStrictEqual(model({ "input": x, "x.1": x, ["__proto__"]: x }).shape, [2, 3]);
  throws(() => model({ input: x, x_1: x }), /expected a tensor for its input "input___proto__", got undefined/);
  throws(() => model(x), /has 3 inputs, input_, x_1, input___proto__; expected a record of tensors, got a tensor/);
});

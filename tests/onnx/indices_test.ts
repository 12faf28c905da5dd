/** Indices that the data gives, as a compiled model reads them. */
import { deepStrictEqual, rejects } from "node:assert/strict";
import { createTrainer, onnx, scenario, tensors } from "../../mod.ts";
import { onnxFile } from "../support/onnx_file.ts";

/** Looks up token ids in a table of 4 rows. */
async function lookUp(ids: readonly number[]): Promise<number[]> {
  const content = onnxFile({
    inputs: [{ name: "ids", type: "int64", shape: ["batch", 2] }],
    outputs: [{ name: "y" }],
    nodes: [{ type: "Gather", inputs: ["table", "ids"], outputs: ["y"], attributes: { axis: 0 } }],
    initializers: [{ name: "table", shape: [4, 2], values: [0, 1, 2, 3, 4, 5, 6, 7] }],
  });
  const model = await onnx(content);
  const data = tensors({
    input: { shape: [2], data: Int32Array.from(ids) },
    target: { data: new Float32Array(ids.length / 2) },
  });
  const loader = { batchSize: ids.length / 2, shuffle: false };
  await using trainer = await createTrainer(scenario({ name: "ids", model, mode: "infer", data, loader }));
  return [...(await trainer.forward(Int32Array.from(ids))).data];
}

Deno.test("negative ids of the batch count from the end of the table, and others are refused", async () => {
  deepStrictEqual(await lookUp([-1, 0, 3, -4]), [6, 7, 0, 1, 6, 7, 0, 1]);
  await rejects(lookUp([0, 0, 4, 0]), /has 4 at element 2; expected -4 to 3/);
  await rejects(lookUp([0, -5, 0, 0]), /has -5 at element 1; expected -4 to 3/);
});

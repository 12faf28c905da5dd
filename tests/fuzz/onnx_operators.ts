import { checkNode } from "../support/onnx_node.ts";
import { Draw } from "../onnx/operators/draw.ts";
import { REFERENCES } from "../onnx/operators/references.ts";
import type { Fuzzer } from "./fuzzer.ts";

/** Random nodes of all operators of ONNX, on tensors and on constants, against references in f64. */
export const onnxOperators: Fuzzer = {
  name: "onnxOperators",
  few: 20,
  begin: () => async (random) => {
    const draw = new Draw(random);
    await checkNode(draw.pick([...REFERENCES.values()])(draw));
  },
};

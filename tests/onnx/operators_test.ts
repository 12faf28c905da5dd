/** Random nodes of each operator against references in f64; `deno task fuzz --only onnxOperators` runs more. */
import { deepStrictEqual } from "node:assert/strict";
import { hashText, RandomStream } from "../../runtime/core/random.ts";
import { OPERATOR_BY_KEY } from "../../runtime/onnx/registry.ts";
import { checkNode } from "../support/onnx_node.ts";
import { Draw } from "./operators/draw.ts";
import { ELSEWHERE, REFERENCES } from "./operators/references.ts";

/** Nodes of each operator. */
const NODES = 3;

Deno.test("every operator has a reference, or a reason why not", () => {
  const without = [...OPERATOR_BY_KEY.keys()].filter((key) => !REFERENCES.has(key) && !(key in ELSEWHERE));
  deepStrictEqual(without, []);
  deepStrictEqual([...REFERENCES.keys(), ...Object.keys(ELSEWHERE)].filter((key) => !OPERATOR_BY_KEY.has(key)), []);
});

for (const [key, draw] of REFERENCES) {
  Deno.test(`random nodes of ${key} compute what the standard says`, async () => {
    for (let seed = 0; seed < NODES; seed++) await checkNode(draw(new Draw(new RandomStream(hashText(key), seed))));
  });
}

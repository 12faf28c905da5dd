/** Random nodes of each operator against references in f64; `deno task fuzz --only onnxOperators` runs more. */
import { deepStrictEqual, rejects } from "node:assert/strict";
import { hashText, RandomStream } from "../../runtime/core/random.ts";
import { OPERATOR_BY_KEY } from "../../runtime/onnx/registry.ts";
import { checkNode, number } from "../support/onnx_node.ts";
import { full, sampled } from "../support/full.ts";
import { Draw } from "./operators/draw.ts";
import { ELSEWHERE, REFERENCES } from "./operators/references.ts";

/** Nodes of each operator. */
const NODES = full ? 4 : 2;

/** Operators that take any number of inputs. */
const VARIADIC = ["Concat", "Einsum", "Max", "Mean", "Min", "Sum"];

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

Deno.test("every operator refuses attributes and inputs that it does not know", async () => {
  for (const [key, draw] of sampled([...REFERENCES], 40)) {
    const test = draw(new Draw(new RandomStream(hashText(key))));
    const attributes = { ...test.attributes, own_rule: 1 };
    await rejects(checkNode({ ...test, attributes }), { message: /the attribute "own_rule" is not supported/ }, key);
    if (VARIADIC.includes(key)) continue;
    const last = 12;
    const inputs = [...test.inputs, ...new Array<null>(last - test.inputs.length).fill(null), number(1)];
    await rejects(checkNode({ ...test, inputs }), { message: /input 12 is not supported|are not supported/ }, key);
  }
});

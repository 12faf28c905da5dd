import assert from "node:assert/strict";
import { conv2d, dropout, flatten, layer, linear, relu, resnet, sequential } from "../../mod.ts";
import { add } from "../../mod.ts";
import { addGradients } from "../../runtime/compile/build.ts";
import { applyAmp } from "../../runtime/compile/amp.ts";
import { compileInference, compileTraining } from "../../runtime/compile/compile.ts";
import { applyFusion } from "../../runtime/compile/fusion.ts";
import { lower } from "../../runtime/compile/lower.ts";
import type { Location } from "../../runtime/compile/plan.ts";
import type { Program } from "../../runtime/compile/rewrite.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { leafAttrs } from "../../runtime/graph/leaf.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { dispatchesOf, optionsOf, programOf } from "./programs.ts";

const skip = relu();
const branched = sequential({
  conv: conv2d(6, { kernel: 3, padding: 1 }),
  join: layer((x) => add(skip(x), add(x, x))),
  drop: dropout(0.1),
  flatten: flatten(),
  fc: linear(4),
});

const BUFFERS = {
  input: "batch.input",
  parameter: "parameters",
  state: "state",
  stepState: "step",
  lossScale: "lossRing",
  position: "step",
} as const;

/** Simulates the nodes in order and checks that each finds its inputs where they were written. */
function checkContents(program: Program): void {
  const gradients = [...addGradients(program).values()];
  const roots = [program.loss!, ...gradients];
  const leaves = new Map<string, Location>();
  const placed = (tensor: Tensor): Location | null => {
    const attrs = leafAttrs(tensor);
    if (attrs === null) return null;
    const { id } = tensor.node;
    const place = leaves.get(id) ?? { buffer: BUFFERS[attrs.kind], offset: 256 * leaves.size, size: 16 };
    leaves.set(id, place);
    return place;
  };
  const lowered = lower(program.graph, roots, placed, { traits: DEFAULT_TRAITS });
  const contents = new Map<number, string>();
  const slotOf = (tensor: Tensor) => {
    const { buffer } = lowered.locate(tensor);
    return typeof buffer === "string" ? null : buffer.slot;
  };
  const planned = new Set(lowered.nodes.map(({ id }) => id));
  let reads = 0;
  const source = (tensor: Tensor): string => {
    const { node } = tensor;
    return node.op.isView?.(node.inputs.map(({ type }) => type), node.attrs)
      ? source(node.inputs[0]!)
      : `${node.id}:${tensor.index}`;
  };
  for (const node of program.graph.nodes.filter(({ id }) => planned.has(id))) {
    for (const input of node.inputs) {
      const slot = slotOf(input);
      if (slot === null) continue;
      assert.equal(contents.get(slot), source(input), `${node.id} reads slot ${slot}`);
      reads++;
    }
    node.outputs.forEach((_, index) => {
      const tensor = { node, index } as Tensor;
      contents.set(slotOf(tensor)!, `${node.id}:${index}`);
    });
  }
  for (const root of roots) assert.equal(contents.get(slotOf(root)!), source(root), "roots stay to the end");
  assert.ok(reads > 20);
}

for (
  const [name, model, shape] of [["branches", branched, [3, 2, 5, 7]], [
    "resnet20",
    resnet({ depth: 20, classes: 10 }),
    [2, 3, 16, 16],
  ]] as const
) {
  Deno.test(`${name}: every node finds its inputs in the slots`, () => {
    checkContents(programOf(model, shape));
    checkContents(applyFusion(programOf(model, shape)));
    checkContents(applyAmp(applyFusion(programOf(model, shape)), "O2", new Set()));
  });

  Deno.test(`${name}: no dispatch reads and writes the same buffer or writes a range twice`, () => {
    for (const level of ["O0", "O1", "O2", "O3"] as const) {
      const options = optionsOf(model, shape, { amp: { level, keepF32: [], scaler: null } });
      for (const plan of [compileTraining(options), compileInference(options)]) {
        for (const { kernel, bindings, nodeId } of dispatchesOf(plan)) {
          const nameOf = ({ buffer }: Location) => typeof buffer === "string" ? buffer : `slot ${buffer.slot}`;
          const written = bindings.filter((_, i) => kernel.bindings[i]!.access === "read_write");
          const read = bindings.filter((_, i) => kernel.bindings[i]!.access === "read");
          for (const place of written) {
            assert.ok(read.every((other) => nameOf(other) !== nameOf(place)), `${nodeId}: ${nameOf(place)}`);
          }
          assert.equal(bindings.length, kernel.bindings.length);
          for (const { buffer, offset, size } of bindings) {
            assert.equal(offset % 256, 0, nodeId);
            if (typeof buffer !== "string") assert.ok(offset + size <= plan.slots[buffer.slot]!, nodeId);
          }
        }
      }
    }
  });
}

Deno.test("activations share memory and need far less than the sum of all tensors", () => {
  const { slots, nodes } = compileTraining(optionsOf(resnet({ depth: 20, classes: 10 }), [8, 3, 32, 32]));
  const all = nodes.flatMap(({ outputs }) => outputs).reduce(
    (sum, { shape }) => sum + 4 * shape.reduce((a, b) => a * b, 1),
    0,
  );
  const taken = slots.reduce((sum, bytes) => sum + bytes, 0);
  assert.ok(taken < 0.7 * all, `${taken} of ${all}`);
});

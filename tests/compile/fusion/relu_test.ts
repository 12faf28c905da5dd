import assert from "node:assert/strict";
import { add, batchNorm, conv2d, flatten, layer, linear, relu, resnet, sequential, sigmoid } from "../../../mod.ts";
import { applyFusion } from "../../../runtime/compile/fusion.ts";
import type { FusionName } from "../../../runtime/scenario/fusion_names.ts";
import type { BatchNormAttrs } from "../../../ops/batch_norm.ts";
import type { Mode } from "../../../runtime/graph/op.ts";
import { type Build, computed, programOf } from "../programs.ts";

const SHAPE = [2, 3, 4, 4];
const head = [flatten(), linear(5)] as const;

/** Returns the IDs of computed nodes before and after fusion. */
function fused(body: Build, mode: Mode = "train", names?: readonly FusionName[]) {
  const before = programOf(sequential({ body, flatten: head[0], fc: head[1] }), SHAPE, mode);
  const after = applyFusion(before, names);
  return {
    before: computed(before).map(({ id }) => id),
    nodes: computed(after),
    after: computed(after).map(({ id }) => id),
  };
}

Deno.test("batch norm and ReLU become one node that names both", () => {
  for (const mode of ["train", "infer"] as const) {
    const { nodes, after } = fused(sequential({ bn: batchNorm(), relu: relu() }), mode);
    assert.ok(!after.includes("body.relu"));
    const norm = nodes.find(({ id }) => id === "body.bn")!;
    assert.deepEqual(norm.members?.map(({ id }) => id), ["body.bn", "body.relu"]);
    assert.equal((norm.attrs as BatchNormAttrs).activation, "relu");
    assert.equal(norm.inputs.length, 5);
  }
});

Deno.test("batch norm, addition and ReLU become one node, whichever side the norm is on", () => {
  const norm = batchNorm();
  const sides: Build[] = [layer((x) => relu()(add(norm(x), x))), layer((x) => relu()(add(x, norm(x))))];
  for (const body of sides) {
    const { nodes, after, before } = fused(body);
    assert.equal(after.length, before.length - 2);
    const node = nodes.find(({ op }) => op.type === "batch_norm")!;
    assert.deepEqual(node.members?.map(({ id }) => id), ["body.batch_norm", "body.add", "body.relu"]);
    assert.equal(node.inputs[5]!.node.id, "@input");
  }
});

Deno.test("if two norms are added, one takes the other as its residual", () => {
  const { nodes } = fused(layer((x) => relu()(add(batchNorm()(x), batchNorm()(x)))));
  const norms = nodes.filter(({ op }) => op.type === "batch_norm");
  assert.deepEqual(norms.map(({ id, inputs }) => [id, inputs.length]), [["body.batch_norm_1", 5], [
    "body.batch_norm",
    6,
  ]]);
  assert.equal(norms[1]!.inputs[5]!.node, norms[0]);
});

Deno.test("nothing is fused if another node reads the intermediate result, or no pattern matches", () => {
  const norm = batchNorm();
  const bodies: Record<string, Build> = {
    "the norm is read twice": layer((x) => {
      const y = norm(x);
      return add(relu()(y), y);
    }),
    "the sum is read twice": layer((x) => {
      const y = add(norm(x), x);
      return add(relu()(y), y);
    }),
    "x + x": layer((x) => {
      const y = norm(x);
      return relu()(add(y, y));
    }),
    "another activation": sequential({ norm, sigmoid: sigmoid() }),
    "something between": sequential({ norm, conv: conv2d(3, { kernel: 1 }), relu: relu() }),
    "no norm": sequential({ conv: conv2d(3, { kernel: 1 }), relu: relu() }),
  };
  for (const [name, body] of Object.entries(bodies)) {
    const { before, after } = fused(body, "train", ["bn-relu", "bn-add-relu"]);
    assert.deepEqual(after, before, name);
  }
});

Deno.test("a norm that is the model's output is fused only if its ReLU is part of the output", () => {
  const program = programOf(sequential({ fc: linear(5), bn: batchNorm(), relu: relu() }), [4, 3]);
  const after = applyFusion(program);
  assert.equal(after.output.node.op.type, "batch_norm");
  const outer = batchNorm();
  const both = programOf((x) => {
    const y = outer(linear(5)(x));
    relu()(y);
    return y;
  }, [4, 3]);
  assert.deepEqual(computed(applyFusion(both)).map(({ id }) => id), computed(both).map(({ id }) => id));
});

Deno.test("every norm of a ResNet is fused with its ReLU, except those of shortcuts", () => {
  const nodes = computed(applyFusion(programOf(resnet({ depth: 20, classes: 10 }), [2, 3, 32, 32])));
  const plain = nodes.filter(({ op, attrs }) =>
    op.type === "batch_norm" && (attrs as BatchNormAttrs).activation === "none"
  );
  assert.deepEqual(plain.map(({ id }) => id), ["layer2.0.downsample.1", "layer3.0.downsample.1"]);
  assert.ok(nodes.every(({ op }) => op.type !== "relu" && op.type !== "add"));
});

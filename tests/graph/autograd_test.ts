import assert from "node:assert/strict";
import { add } from "../../ops/add.ts";
import { linear } from "../../ops/linear.ts";
import { relu } from "../../ops/relu.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { leafAttrs } from "../../runtime/graph/leaf.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { OpDef, Tensor } from "../../runtime/graph/op.ts";
import { activation, rowMajor } from "../../runtime/graph/types.ts";

const leaf = (graph: Graph, name: string, dtype: FloatType = "f32") =>
  graph.leaf("parameter", name, activation([2, 3], dtype));

const seed = (graph: Graph) => leaf(graph, "seed");

/** Formats a tensor as a formula over leaves, with `+` for accumulated gradients. */
function formula(tensor: Tensor | null): string {
  if (tensor === null) return "none";
  if (leafAttrs(tensor) !== null) return tensor.node.id;
  const inputs = tensor.node.inputs.map(formula);
  return tensor.node.op.type === "add" ? `(${inputs.join(" + ")})` : `${tensor.node.op.type}(${inputs.join(", ")})`;
}

/** An op with two outputs whose gradient records `needs` and which outputs have a gradient. */
function probe(asked: boolean[][]): OpDef<null> {
  return {
    type: "probe",
    precision: "fixed",
    shape: ([a]) => [a!, rowMajor([1], "f32")],
    cost: () => ({ flops: 0, bytes: 0 }),
    candidates: () => [],
    gradient(_node, dys, needs) {
      asked.push([...needs], dys.map((dy) => dy !== null));
      return needs.map((needed) => needed ? dys[0] ?? null : null);
    },
  };
}

Deno.test("gradients accumulate in the reverse order of the forward pass", () => {
  const graph = new Graph();
  const x = leaf(graph, "x");
  const a = relu(x);
  const b = relu(x);
  const [dx] = differentiate(add(add(a, b), x), seed(graph), [x], add);
  assert.equal(formula(dx!), "((seed + relu_grad(seed, relu(x))) + relu_grad(seed, relu(x)))");
  const grads = graph.nodes.filter(({ phase }) => phase === "backward");
  assert.deepEqual(grads.map(({ id, layer }) => [id, layer]), [
    ["relu#1/relu_grad", "relu#1"],
    ["relu#1/add", "relu#1"],
    ["relu/relu_grad", "relu"],
    ["relu/add", "relu"],
  ]);
});

Deno.test("x + x accumulates its gradient twice", () => {
  const graph = new Graph();
  const x = leaf(graph, "x");
  assert.equal(formula(differentiate(add(x, x), seed(graph), [x], add)[0]!), "(seed + seed)");
});

Deno.test("a tensor that the loss does not depend on has no gradient and adds no nodes", () => {
  const graph = new Graph();
  const [x, other, w] = [leaf(graph, "x"), leaf(graph, "other"), leaf(graph, "w")];
  relu(other);
  const before = graph.nodes.length;
  const asked: boolean[][] = [];
  const [y] = graph.apply(probe(asked), null, [x, w]) as [Tensor, Tensor];
  const gradients = differentiate(y, seed(graph), [w, other], add);
  assert.deepEqual(gradients.map(formula), ["seed", "none"]);
  assert.deepEqual(asked, [[false, true], [true, false]], "needs of x and w; gradients of both outputs");
  assert.equal(graph.nodes.length, before + 2, "probe and seed");
});

Deno.test("a linear layer's input has no gradient when only its weight is trained", () => {
  const graph = new Graph();
  const x = graph.leaf("input", "x", activation([4, 3], "f32"));
  const weight = graph.leaf("parameter", "w", { shape: [2, 3], dtype: "f32", layout: "io" });
  const y = linear(x, weight, null);
  differentiate(y, graph.leaf("input", "dy", y.type), [weight], add);
  const shapes = graph.nodes.filter(({ phase }) => phase === "backward").map(({ outputs }) => outputs[0]!.shape);
  assert.deepEqual(shapes, [weight.shape]);
});

Deno.test("gradients flow only through the output in use, and integers have none", () => {
  const graph = new Graph();
  const x = leaf(graph, "x");
  const labels = graph.leaf("input", "labels", rowMajor([2], "i32"));
  const asked: boolean[][] = [];
  const [y] = graph.apply(probe(asked), null, [x, labels]) as [Tensor];
  assert.equal(formula(differentiate(y, seed(graph), [x, labels], add)[1]!), "none");
  assert.deepEqual(asked[0], [true, false]);
});

Deno.test("the error about a missing gradient names the node and the op", () => {
  const graph = new Graph();
  const { gradient: _, ...op } = probe([]);
  const [y] = graph.scope("block", () => graph.apply(op, null, [leaf(graph, "x")])) as [Tensor];
  assert.throws(
    () => differentiate(y, seed(graph), [leaf(graph, "x")], add),
    /layer "block.probe": op "probe" has no gradient, .*give its defineOp a gradient/,
  );
});

Deno.test("the gradient of the loss itself is the seed", () => {
  const graph = new Graph();
  const x = leaf(graph, "x");
  assert.equal(formula(differentiate(x, seed(graph), [x], add)[0]!), "seed");
});

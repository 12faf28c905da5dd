import assert from "node:assert/strict";
import { add } from "../../ops/add.ts";
import { matmul } from "../../ops/matmul.ts";
import { relu } from "../../ops/relu.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { activation, formatType, rowMajor } from "../../runtime/graph/types.ts";
import { refuses } from "../support/refuses.ts";

function input(graph: Graph, shape: number[] = [2, 3]) {
  return graph.leaf("input", "@input", activation(shape, "f32"));
}

Deno.test("node IDs consist of the scopes and the op; a number makes them unique", () => {
  const graph = new Graph();
  const x = input(graph);
  const a = relu(x);
  const b = graph.scope("stem", () => relu(a));
  const c = graph.scope("stem", () => graph.scope("0", () => relu(b)));
  const d = graph.scope("stem", () => relu(c));
  assert.deepEqual([a, b, c, d].map(({ node }) => node.id), ["relu", "stem.relu", "stem.0.relu", "stem.relu#1"]);
  assert.deepEqual(graph.nodes.map(({ id }) => id), ["@input", "relu", "stem.relu", "stem.0.relu", "stem.relu#1"]);
});

Deno.test("a single layer takes its scope's path; other layers append their type", () => {
  const graph = new Graph();
  const apply = () => {
    const path = graph.layerPath("relu");
    return [path, graph.inLayer(path, () => relu(input(graph))).node];
  };
  assert.equal(graph.scope("act", apply, { single: true })[0], "act");
  assert.equal(graph.scope("act", apply)[0], "act.relu");
  assert.equal(graph.scope("act", apply)[0], "act.relu_1");
  assert.equal(apply()[0], "relu");
  assert.equal(graph.scope("act", apply, { single: true })[0], "act_1");
});

Deno.test("nodes carry the path of their layer, and a scope ends even if its function throws", () => {
  const graph = new Graph();
  const y = graph.inLayer("block", () => add(relu(input(graph)), input(graph)));
  assert.deepEqual(graph.nodes.map(({ id, layer }) => [id, layer]), [["@input", "@input"], ["block", "block"], [
    "block#1",
    "block",
  ]]);
  assert.throws(() =>
    graph.scope("outer", () => {
      throw new Error("inside");
    }), /inside/);
  assert.equal(relu(y).node.id, "relu");
});

Deno.test("a leaf is added once per name", () => {
  const graph = new Graph();
  const first = graph.leaf("parameter", "w", rowMajor([3], "f32"), { kind: "constant", value: 1 });
  assert.equal(graph.leaf("parameter", "w", rowMajor([3], "f32")), first);
  assert.equal(graph.stepState(), graph.stepState());
  assert.deepEqual(graph.leaves("parameter"), [first]);
  assert.deepEqual(graph.leaves("state"), []);
  assert.equal(formatType(graph.stepState().type), "u32[4]");
});

Deno.test("a shape error names the layer", () => {
  const graph = new Graph();
  const [a, b] = [input(graph), graph.leaf("input", "b", activation([2, 4], "f32"))];
  refuses(() => graph.scope("layer1.0", () => add(a, b)), /^model: layer "layer1\.0\.add": .*\[2, 3\] and \[2, 4\]/);
  assert.equal(graph.nodes.length, 2, "the node was not added");
});

Deno.test("tensors of another graph are rejected", () => {
  refuses(
    () => add(input(new Graph()), input(new Graph())),
    /^model: layer "add": mixes tensors of two builds of the model; .*inside/,
  );
});

Deno.test("a tensor of more than 2^32 - 1 elements is refused with its layer, its shape and the fix", () => {
  const refused = (build: (graph: Graph) => unknown, message: RegExp) => refuses(() => build(new Graph()), message);
  const wide = [65536, 65536];
  assert.ok(relu(input(new Graph(), [65535, 65536])));
  refused(
    (graph) => input(graph, wide),
    /^model: the batch's input \[65536, 65536\] has 4294967296 elements; expected at most 4294967295, .*Lower loader\.batchSize/,
  );
  refused(
    (graph) => graph.leaf("parameter", "fc.weight", rowMajor(wide, "f32")),
    /^model: the parameter "fc\.weight" \[65536, 65536\] .*Lower the size of the layer/,
  );
  refused(
    (graph) =>
      graph.scope("fc", () => matmul(input(graph, [65536, 1]), graph.leaf("input", "@b", rowMajor([1, 65536], "f32")))),
    /^model: layer "fc\.matmul": its output \[65536, 65536\] .*Lower loader\.batchSize or the size of the layer/,
  );
});

Deno.test("a replayed node keeps its ID, layer, phase and members", () => {
  const graph = new Graph();
  const y = graph.inLayer("block.act", () => relu(input(graph)));
  const copy = new Graph();
  const replaced = ["a", "b"].map((id) => ({ id, op: y.node.op }));
  const [again] = copy.replay({ ...y.node, members: replaced }, [input(copy)]);
  const { id, layer, phase, members } = again!.node;
  assert.deepEqual({ id, layer, phase, members }, {
    id: "block.act",
    layer: "block.act",
    phase: "forward",
    members: replaced,
  });
});

Deno.test("a field of the batch is one tensor and cannot take another leaf's name", () => {
  const graph = new Graph();
  const type = rowMajor([2, 3], "i32");
  assert.equal(graph.input("ids", type), graph.input("ids", type));
  assert.deepEqual([...graph.inputs()], [["ids", graph.input("ids", type)]]);
  graph.stepState();
  refuses(() => graph.input("step", type), /"@step" names both a leaf of kind stepState and one of kind input/);
});

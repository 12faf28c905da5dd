import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { adam, batchNorm, conv2d, crossEntropy, flatten, linear, relu, scenario, sequential } from "../../mod.ts";
import type { Location, PlacedNode, Plan } from "../../runtime/compile/plan.ts";
import { toLogical } from "../../runtime/core/layout.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { GraphRunner } from "../../runtime/engine/graph_runner.ts";
import { runIntermediates } from "../../runtime/engine/intermediates.ts";
import { leafAttrs } from "../../runtime/graph/leaf.ts";
import { Tensor } from "../../runtime/graph/op.ts";
import { labels, normals } from "../support/reference/random.ts";
import { type OpenSession, withOpenSession } from "../support/session.ts";
import { classified } from "../trainer/models.ts";

const definition = scenario({
  name: "intermediates",
  model: sequential({
    conv: conv2d(6, { kernel: 3, padding: 1 }),
    bn: batchNorm(),
    act: relu(),
    flat: flatten(),
    fc1: linear(7),
    act1: relu(),
    fc2: linear(3),
  }),
  loss: crossEntropy(),
  optimizer: adam(),
  data: classified([2, 5, 4], 3),
  loader: { batchSize: 4 },
  variants: { train: {}, f16: { amp: { level: "O2", scaler: { init: 64 } } }, infer: { mode: "infer" } },
});

function placedIn({ nodes }: Plan): PlacedNode[] {
  return nodes.flatMap(({ placed }) => placed ?? []);
}

/** Computes the outputs of nodes one by one, each in its own buffer, from the session's state and a batch. */
async function reference(
  { device, session, compiled }: OpenSession,
  nodes: readonly PlacedNode[],
  batch: ReadonlyMap<string, ArrayLike<number>>,
): Promise<Map<string, Float64Array[]>> {
  const { graph } = nodes.flatMap(({ node }) => node.inputs)[0]!;
  const leaves = new Map(batch);
  for (const arena of ["parameters", "state"] as const) {
    for (const [name, { data }] of await session.state.read(arena)) leaves.set(name, data);
  }
  for (const node of graph.nodes) {
    const kind = leafAttrs({ node })?.kind;
    if (kind === "stepState") leaves.set(node.id, [1, 0, 0, 0]);
    if (kind === "lossScale") leaves.set(node.id, [compiled.lossScale]);
  }
  const tensors = nodes.flatMap(({ node }) => node.outputs.map((_, i) => new Tensor(graph, node, i)));
  const runner = await GraphRunner.create(device, tensors);
  const values = await runner.run(leaves);
  runner.free();
  return new Map(nodes.map(({ node }) => [node.id, values.splice(0, node.outputs.length)]));
}

for (const variant of ["train", "f16", "infer"]) {
  Deno.test(`${variant}: every node of an executed plan has the outputs that it has alone`, async () => {
    await withOpenSession(definition, async (open) => {
      const { device, session, compiled: { plan } } = open;
      const { shape, layout } = plan.inputs["input"]!;
      const input = normals(sizeOf(shape), 3);
      const target = labels(4, 3, 4);
      session.upload({ input, target });
      const nodes = placedIn(plan);
      ok(nodes.length >= (variant === "infer" ? 5 : 15), `${nodes.length} nodes`);
      const resident = device.bytes;
      const batch = new Map<string, ArrayLike<number>>([["@input", toLogical(input, shape, layout)], [
        "@target",
        target,
      ]]);
      const want = await reference(open, nodes, batch);
      const got = await runIntermediates(session.executor, nodes.map(({ node }) => node.id));
      equal(device.bytes, resident, "the copies are freed");
      deepEqual([...got.keys()], nodes.map(({ node }) => node.id));
      for (const { node } of nodes) {
        got.get(node.id)!.forEach((values, i) => {
          ok(values.some((value) => value !== 0), `${node.id}: computes something`);
          deepEqual(values, want.get(node.id)![i], `${node.id}, output ${i}`);
        });
      }
      await rejects(runIntermediates(session.executor, ["nobody"]), /computes no node nobody/);
      device.check();
    }, { variant });
  });
}

Deno.test("of micro-batches, outputs are those of the last one", async () => {
  const several = scenario({ ...definition, accumulate: 3, loader: { batchSize: 4 }, variants: { one: {} } });
  await withOpenSession(several, async ({ session, compiled: { plan } }) => {
    const id = placedIn(plan)[0]!.node.id;
    const size = sizeOf(plan.inputs["input"]!.shape);
    const run = async (seeds: readonly number[]) => {
      seeds.forEach((seed, n) => session.upload({ input: normals(size, seed), target: labels(4, 3, 1) }, n));
      return (await runIntermediates(session.executor, [id])).get(id);
    };
    const parameters = await session.state.read("parameters");
    const first = await run([1, 2, 3]);
    session.state.load(parameters);
    deepEqual(await run([4, 5, 3]), first);
    session.state.load(parameters);
    ok(JSON.stringify(await run([1, 2, 4])) !== JSON.stringify(first));
  });
});

Deno.test("a planned node's places are the memory that its kernels bind, and slots are reused after it", async () => {
  await withOpenSession(definition, ({ compiled: { plan } }) => {
    const byId = new Map(placedIn(plan).map((placed) => [placed.node.id, placed]));
    let bound = 0;
    for (const { nodeId, kernel, bindings } of plan.segments.flatMap(({ dispatches }) => dispatches)) {
      const placed = byId.get(nodeId);
      if (placed === undefined) continue;
      kernel.bindings.forEach(({ ref }, i) => {
        if ("workspace" in ref) return;
        deepEqual(bindings[i], "input" in ref ? placed.inputs[ref.input] : placed.outputs[ref.output], nodeId);
        bound++;
      });
    }
    ok(bound > 40, `${bound} bindings`);
    const slots = [...byId.values()].flatMap(({ outputs }) =>
      outputs.flatMap((place: Location) => typeof place.buffer === "string" ? [] : [place.buffer.slot])
    );
    ok(new Set(slots).size < slots.length, "a read after the step would find other values");
    equal(plan.nodes.filter(({ phase, placed }) => (placed === undefined) !== (phase === "update")).length, 0);
    return Promise.resolve();
  });
});

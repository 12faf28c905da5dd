import assert from "node:assert/strict";
import { groupOps, rate, setupOf } from "../../runtime/analysis/op_groups.ts";
import { SORT_COLUMNS, sortGroups, sortOps } from "../../runtime/analysis/op_order.ts";
import { op, ops } from "../report/profile_fixture.ts";

Deno.test("ops are summed by type, the longest first", () => {
  const a = op("a", "conv2d", 2, { flops: 4e6, bytes: 1e6, share: 0.5 });
  const b = op("b", "relu", 0.5, { flops: 1e6, bytes: 1e6 });
  const c = op("c", "relu", 1.5, { flops: 1e6, bytes: 3e6, calls: 10, total: 15, mean: 1.5 });
  assert.deepEqual(groupOps([b, c, a], "type"), [
    {
      name: "relu",
      depth: 0,
      ops: 2,
      calls: 15,
      total: 17.5,
      perStep: 2,
      mean: 2,
      min: 0.375,
      max: 2.25,
      share: 0.5,
      flops: 2e6,
      bytes: 4e6,
      gflops: 1,
      gbps: 2,
    },
    {
      name: "conv2d",
      depth: 0,
      ops: 1,
      calls: 5,
      total: 10,
      perStep: 2,
      mean: 2,
      min: 1.5,
      max: 3,
      share: 0.5,
      flops: 4e6,
      bytes: 1e6,
      gflops: 2,
      gbps: 0.5,
    },
  ]);
});

Deno.test("a stalled call changes the mean and the total of a group, not its time of a step nor its share", () => {
  const stalled = op("fc1", "linear", 1, { mean: 36, total: 180, max: 176 });
  const [conv, linear] = groupOps([stalled, op("conv", "conv2d", 3)], "type");
  assert.deepEqual([conv!.name, conv!.share], ["conv2d", 0.75]);
  assert.deepEqual([linear!.perStep, linear!.mean, linear!.total, linear!.share], [1, 36, 180, 0.25]);
});

Deno.test("kernels are the dispatches of all ops; rates need a kernel that does a whole op", () => {
  const times = { calls: 5, total: 5, median: 1, mean: 1, min: 1, max: 1 };
  const weights = op("w", "conv2d_weight_grad", 3, {
    dispatches: 3,
    kernels: [{ name: "products", ...times }, { name: "sum", ...times }, { name: "sum", ...times }],
  });
  const groups = groupOps([weights, op("b", "bias_grad", 0.5, { kernel: "sum" })], "kernel");
  const shown = groups.map(({ name, ops, calls, total, perStep, flops }) => [name, ops, calls, total, perStep, flops]);
  assert.deepEqual(shown, [["sum", 2, 15, 12.5, 2.5, null], ["products", 1, 5, 5, 1, null]]);
  assert.equal(groupOps([op("b", "bias_grad", 0.5, { flops: 7 })], "kernel")[0]!.flops, 7);
});

Deno.test("phases keep their order", () => {
  assert.deepEqual(groupOps(ops.toReversed(), "phase").map(({ name, perStep }) => [name, perStep]), [
    ["forward", 3],
    ["backward", 4],
    ["update", 1],
  ]);
});

Deno.test("a layer includes its children, and scopes with a single child are skipped", () => {
  const named = ["net.stem.conv", "net.stem.bn", "net.layer1.0.conv1", "net.layer1.0.conv2", "head.only.fc"];
  const groups = groupOps(named.map((layer) => op(layer, "conv2d", 1, { layer })), "layer");
  assert.deepEqual(groups.map(({ name, depth, ops }) => [name, depth, ops]), [
    ["net", 0, 4],
    ["net.stem", 1, 2],
    ["net.stem.conv", 2, 1],
    ["net.stem.bn", 2, 1],
    ["net.layer1.0", 1, 2],
    ["net.layer1.0.conv1", 2, 1],
    ["net.layer1.0.conv2", 2, 1],
    ["head.only.fc", 0, 1],
  ]);
});

Deno.test("a layer path with ten thousand dots does not create as many scopes", () => {
  const layer = "a.".repeat(10_000) + "b";
  const groups = groupOps([op("x", "relu", 1, { layer }), op("y", "relu", 1, { layer: "a" })], "layer");
  assert.deepEqual(groups.map(({ depth }) => depth), [0, 1]);
  assert.equal(groups[1]!.name, layer);
});

Deno.test("a sum is null if the value of one op is unknown", () => {
  const [group] = groupOps([op("a", "relu", 1), op("b", "relu", null)], "type");
  assert.deepEqual([group!.total, group!.perStep, group!.share, group!.gflops], [null, null, null, null]);
  assert.equal(group!.flops, 2e6);
  assert.equal(groupOps([op("a", "relu", 1, { flops: null })], "kernel")[0]!.gflops, null);
  assert.deepEqual(groupOps([], "layer"), []);
});

Deno.test("rates and set-up times are null without measurements", () => {
  assert.equal(rate(3e9, 2), 1500);
  assert.deepEqual([rate(null, 1), rate(1, null), rate(1, 0)], [null, null, null]);
  const setup = (pipeline: number | null, firstDispatch: number | null) =>
    setupOf(op("a", "relu", 1, { setup: { pipeline, firstDispatch } }));
  assert.deepEqual([setup(1, 2), setup(1, null), setup(null, 2), setup(null, null)], [3, 1, 2, null]);
});

Deno.test("strings sort alphabetically, numbers in descending order, null last", () => {
  const rows = [op("b", "relu", 1), op("a", "conv2d", null), op("c", "add", 2)];
  const order = (by: Parameters<typeof sortOps>[1]) => sortOps(rows, by).map(({ id }) => id).join("");
  assert.equal(order("order"), "bac");
  assert.equal(order("name"), "abc");
  assert.equal(order("type"), "cab");
  assert.equal(order("total"), "cba");
  assert.equal(order("gflops"), "bca");
  for (const column of SORT_COLUMNS) assert.equal(order(column).length, 3);
  const groups = groupOps(rows, "type");
  assert.deepEqual(sortGroups(groups, "name").map(({ name }) => name), ["add", "conv2d", "relu"]);
  assert.deepEqual(sortGroups(groups, "setup"), groups);
});

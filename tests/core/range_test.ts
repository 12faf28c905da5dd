import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { currentRange, listenToRanges, range } from "../../runtime/core/range.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { activation } from "../../runtime/graph/types.ts";
import { add } from "../../ops/add.ts";
import { relu } from "../../ops/relu.ts";

function heard<T>(work: () => T): { result: T; paths: string[] } {
  const paths: string[] = [];
  const stop = listenToRanges((path, start) => (end) => {
    equal(end >= start, true);
    paths.push(path);
  });
  try {
    return { result: work(), paths };
  } finally {
    stop();
  }
}

Deno.test("ranges nest, return the function's result and end innermost first", () => {
  const { result, paths } = heard(() =>
    range("outer", () => {
      equal(currentRange()?.path, "outer");
      return range("inner", () => currentRange()?.path);
    })
  );
  equal(result, "outer/inner");
  deepEqual(paths, ["outer/inner", "outer"]);
  equal(currentRange(), undefined);
});

Deno.test("each entry of a range is another one, inside the same outer entry", () => {
  const [first, second] = range(
    "outer",
    () => [range("inner", () => currentRange()!), range("inner", () => currentRange()!)],
  );
  deepEqual(first, second);
  equal(first === second, false);
  equal(first!.outer, second!.outer);
  equal(first!.outer!.path, "outer");
});

Deno.test("a slash in a name does not add a level", () => {
  equal(range("epoch", () => range("load/decode", () => currentRange()?.path)), "epoch/load\u2215decode");
});

Deno.test("asynchronous functions stay inside their range until they settle, also concurrently", async () => {
  const paths: string[] = [];
  const stop = listenToRanges((path) => () => paths.push(path));
  const slow = range("slow", async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return currentRange()?.path;
  });
  const fast = range("fast", async () => {
    await Promise.resolve();
    return range("part", () => currentRange()?.path);
  });
  deepEqual(await Promise.all([slow, fast]), ["slow", "fast/part"]);
  stop();
  deepEqual(paths, ["fast/part", "fast", "slow"]);
});

Deno.test("a range ends if its function throws or rejects", async () => {
  const { paths } = heard(() =>
    throws(() =>
      range("thrown", () => {
        throw new Error("x");
      }), /x/)
  );
  deepEqual(paths, ["thrown"]);
  const late: string[] = [];
  const stop = listenToRanges((path) => () => late.push(path));
  await rejects(range("rejected", () => Promise.reject(new Error("y"))), /y/);
  await Promise.resolve();
  stop();
  deepEqual(late, ["rejected"]);
});

Deno.test("ops added in a range belong to it, and so do their gradients", () => {
  const graph = new Graph("train");
  const x = graph.leaf("parameter", "x", activation([2, 4], "f32"));
  const y = range("block", () => range("tail", () => relu(x)));
  const z = add(y, x);
  equal(y.node.range?.path, "block/tail");
  equal(z.node.range, undefined);
  const seed = graph.leaf("input", "seed", activation([2, 4], "f32"));
  const [dx] = differentiate(z, seed, [x], add);
  const gradients = graph.nodes.filter((node) => node.phase === "backward" && node.layer === y.node.layer);
  equal(gradients.length > 0, true);
  for (const node of gradients.filter(({ op }) => op.type !== "add")) equal(node.range, y.node.range);
  equal(dx !== null, true);
});

import assert from "node:assert/strict";
import { adam, sgd } from "../../mod.ts";
import { packArena } from "../../runtime/compile/arena.ts";
import type { ArenaLayout, Location } from "../../runtime/compile/plan.ts";
import { updateDispatches } from "../../runtime/compile/update.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";

const LOSS: Location = { buffer: { slot: 0 }, offset: 0, size: 16 };
const ALL = new Set(["p"]);
const SCALER = { dynamic: true, growth: 2, interval: 10, backoff: 0.5 };

function arena(bytes: number, dtype: "f32" | "f16"): ArenaLayout {
  const type = rowMajor([bytes / (dtype === "f32" ? 4 : 2)], dtype);
  const initializer = { kind: "constant", value: 0 } as const;
  return { entries: [{ name: "p", type, initializer, offset: 0, size: bytes }], bytes, dtype };
}

function dispatches(bytes: number, largest: number, optimizer = adam(), dtype: "f32" | "f16" = "f32") {
  const traits = { ...DEFAULT_TRAITS, maxStorageBindingBytes: largest };
  const { dispatches } = updateDispatches(arena(bytes, dtype), ALL, LOSS, optimizer, SCALER, traits);
  return dispatches.map(({ opType, bindings, kernel }) => ({ opType, bindings, kernel }));
}

Deno.test("an arena that fits a binding is tested and updated in one dispatch each", () => {
  assert.deepEqual(dispatches(4096, 65536).map(({ opType }) => opType), ["overflow_test", "begin_update", "adam"]);
});

Deno.test("a larger arena is split into ranges that fit a binding, without gap or overlap", () => {
  for (const dtype of ["f32", "f16"] as const) {
    for (const [bytes, largest] of [[100096, 40000], [65536, 16384], [98304, 32768], [16640, 16384]] as const) {
      const all = dispatches(bytes, largest, adam(), dtype);
      const types = all.map(({ opType }) => opType);
      assert.equal(types.lastIndexOf("overflow_test") + 1, types.indexOf("begin_update"), "all are tested first");
      assert.equal(types.indexOf("adam"), types.indexOf("begin_update") + 1);
      for (const type of ["overflow_test", "adam"]) {
        let end = 0;
        for (const { bindings, kernel } of all.filter(({ opType }) => opType === type)) {
          const [gradients, second] = bindings as [Location, Location];
          assert.equal(gradients.buffer, "gradients");
          assert.equal(gradients.offset, end);
          assert.ok(gradients.size <= largest && gradients.offset % 256 === 0 && gradients.size > 0);
          end += gradients.size;
          // the first uniform is what the kernel goes through
          const [counted] = kernel.uniforms!;
          if (type === "overflow_test") {
            assert.deepEqual(second, {
              buffer: "gradientTable",
              offset: gradients.offset / 64,
              size: gradients.size / 64,
            });
            assert.equal(second.offset % 256, 0);
            assert.equal(counted, gradients.size / 256);
          } else {
            const [, , parameters, ...states] = bindings;
            assert.deepEqual([parameters!.offset, parameters!.size], [gradients.offset, gradients.size]);
            const wider = dtype === "f32" ? 1 : 2; // state is f32
            for (const { offset, size } of states) {
              assert.deepEqual([offset, size], [wider * gradients.offset, wider * gradients.size]);
              assert.ok(size <= largest);
            }
            assert.deepEqual(bindings.map(({ buffer }) => buffer), [
              "gradients",
              "step",
              "parameters",
              "optimizer0",
              "optimizer1",
            ]);
            assert.equal(counted, gradients.size / (dtype === "f32" ? 16 : 8));
          }
        }
        assert.equal(end, bytes);
      }
    }
  }
});

Deno.test("plain SGD keeps no state, and without a scaler there is no overflow test", () => {
  const { dispatches: all } = updateDispatches(
    arena(1024, "f32"),
    ALL,
    LOSS,
    sgd({ learningRate: 1 }),
    null,
    DEFAULT_TRAITS,
  );
  assert.deepEqual(all.map(({ opType }) => opType), ["begin_update", "sgd"]);
  assert.deepEqual(all[1]!.bindings.map(({ buffer }) => buffer), ["gradients", "step", "parameters"]);
  const forward = updateDispatches(arena(1024, "f32"), ALL, LOSS, null, null, DEFAULT_TRAITS).dispatches;
  assert.deepEqual(forward.map(({ opType }) => opType), ["begin_update"]);
});

Deno.test("only tensors with gradients are updated, neighbours in one dispatch", () => {
  const graph = new Graph();
  const sizes = { a: 64, b: 65, dead: 3, c: 1, alsoDead: 64, deadToo: 64, d: 130 };
  const leaves = Object.entries(sizes).map(([name, size]) => graph.leaf("parameter", name, rowMajor([size], "f32")));
  const layout = packArena(leaves);
  const update = (trained: string[], largest = 65536) =>
    updateDispatches(layout, new Set(trained), LOSS, sgd({ learningRate: 1, momentum: 0.9 }), SCALER, {
      ...DEFAULT_TRAITS,
      maxStorageBindingBytes: largest,
    });
  const { dispatches, nodes } = update(["a", "b", "c", "d"]);
  assert.deepEqual(
    dispatches.filter(({ opType }) => opType === "sgd").map(({ bindings }) => [bindings[2]!.offset, bindings[2]!.size]),
    [[0, 768], [1024, 256], [1792, 768]],
  );
  assert.equal(nodes.find(({ type }) => type === "sgd")!.flops, 7 * (64 + 65 + 1 + 130));
  const tested = dispatches.filter(({ opType }) => opType !== "sgd").map(({ bindings }) => bindings[0]!.size);
  assert.equal(tested[0], layout.bytes, "overflows are looked for in one dispatch");
  assert.deepEqual(update([]).dispatches.filter(({ opType }) => opType === "sgd"), []);
});

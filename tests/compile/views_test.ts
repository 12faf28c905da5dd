/** Parts of tensors that a plan binds without a kernel. */
import assert from "node:assert/strict";
import {
  add,
  type Layer,
  layer,
  linear,
  mul,
  reshape,
  sequential,
  slice,
  split,
  type Tensor,
  transpose,
} from "../../mod.ts";
import { compileTraining } from "../../runtime/compile/compile.ts";
import { normals } from "../support/reference/random.ts";
import { measured, regression, trainerOf } from "../trainer/models.ts";
import { optionsOf } from "./programs.ts";

/** Splits `[n, 3, width]` along its second dimension and returns sums of the halves of `a b + c` and of `a`. */
function parted(width: number): Layer {
  return layer((x: Tensor) => {
    const rows = transpose(reshape(x, [x.shape[0]!, 3, width]), [1, 0, 2]);
    const [a, b, c] = split(rows, 3, 0).map((part) => reshape(part, [x.shape[0]!, width])) as [Tensor, Tensor, Tensor];
    const half = reshape(slice(a, [[x.shape[0]! / 2, x.shape[0]!]]), [x.shape[0]! / 2, width]);
    const y = add(mul(a, b), c);
    const [first, second] = split(y, 2, 0) as [Tensor, Tensor];
    return reshape(add(mul(first, 2), add(second, half)), [x.shape[0]!, width / 2]);
  });
}

/** Returns {@linkcode parted}'s result for a batch of 4. */
function reference(x: Float32Array, width: number): number[] {
  const at = (n: number, part: number, i: number) => x[(n * 3 + part) * width + i]!;
  const y = (n: number, i: number) => at(n, 0, i) * at(n, 1, i) + at(n, 2, i);
  return Array.from({ length: 2 * width }, (_, j) => {
    const [n, i] = [Math.floor(j / width), j % width];
    return 2 * y(n, i) + y(n + 2, i) + at(n + 2, 0, i);
  });
}

Deno.test("parts that a binding can begin at have no kernel, others are copied; the values are the same", async () => {
  // Halves of 4 rows: 512 bytes at width 64, 16 bytes at width 2
  for (const [width, parts] of [[64, 0], [2, 1]] as const) {
    const options = optionsOf(parted(width), [4, 3 * width], { loss: null, optimizer: null });
    const types = compileTraining(options).nodes.map(({ type }) => type);
    const copied = types.filter((type) => type === "split" || type === "slice").length;
    assert.ok(parts === 0 ? copied === 0 : copied >= parts, `width ${width}: ${types}`);
    await using trainer = await trainerOf(
      regression({
        model: parted(width),
        data: measured(3 * width, width / 2),
        loss: null,
        optimizer: null,
        mode: "infer",
      }),
      {},
    );
    const x = normals(4 * 3 * width, 3);
    const want = reference(x, width);
    const got = await trainer.forward(x);
    assert.equal(got.data.length, want.length);
    got.data.forEach((value, i) => assert.ok(Math.abs(value - want[i]!) <= 1e-5, `width ${width}: ${i}: ${value}`));
  }
});

Deno.test("gradients flow through parts: a step with parts equals one with copies", async () => {
  // A product with a weight before the parts; the odd width is copied
  const gradientsOf = async (width: number) => {
    const model = sequential({ fc: linear(3 * width, { bias: false }), parts: parted(width) });
    const definition = regression({ model, data: measured(5, width / 2), loader: { batchSize: 4 } });
    await using trainer = await trainerOf(definition);
    const shape = [3 * width, 5];
    const columns = normals(64 * 15, 8);
    // Columns of the weight are those of the widest model, so that the models agree on their common part
    const data = Float32Array.from({ length: 15 * width }, (_, i) => {
      const [row, k] = [Math.floor(i / 5), i % 5];
      return columns[(Math.floor(row / width) * 64 + row % width) * 5 + k]!;
    });
    await trainer.loadParameters(new Map([["fc.weight", { shape, data }]]));
    const input = normals(20, 4);
    await trainer.step({ input, target: new Float32Array(2 * width) });
    const gradient = (await trainer.gradients()).get("fc.weight")!.data;
    // The loss is a mean over 2 width values
    return (part: number, i: number, k: number) => gradient[(part * width + i) * 5 + k]! * width;
  };
  const [views, copies] = [await gradientsOf(64), await gradientsOf(6)];
  for (let part = 0; part < 3; part++) {
    for (let i = 0; i < 6; i++) {
      for (let k = 0; k < 5; k++) {
        const [a, b] = [views(part, i, k), copies(part, i, k)];
        assert.ok(Math.abs(a - b) <= 1e-3 * Math.max(1, Math.abs(b)), `${part}, ${i}, ${k}: ${a}, ${b}`);
      }
    }
  }
});

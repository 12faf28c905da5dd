/** Fused gradient kernels of GPUs, with shared layers and summed gradients. */
import assert from "node:assert/strict";
import {
  add,
  batchNorm,
  conv2d,
  crossEntropy,
  flatten,
  globalAvgPool2d,
  type Layer,
  layer,
  linear,
  maxPool2d,
  relu,
  sequential,
  sgd,
} from "../../mod.ts";
import { classSteps } from "../support/class_steps.ts";
import { full, sampled } from "../support/full.ts";
import { assertClose } from "../support/op_case.ts";
import { classified } from "../trainer/models.ts";

const conv = () => conv2d(8, { kernel: 3, padding: 1, bias: false });
const stem = () => sequential({ conv: conv(), bn: batchNorm(), relu: relu() });
const head = () => sequential({ pool: globalAvgPool2d(), flatten: flatten(), fc: linear(4) });
const block = () => {
  const body = sequential({ conv: conv(), bn: batchNorm() });
  return layer((x) => relu()(add(body(x), x)));
};

function sharedBlock(): Layer {
  const shared = block();
  return sequential({ a: shared, b: shared });
}

function sharedNorm(): Layer {
  const [norm, act] = [batchNorm(), relu()];
  const twice = layer((x) => act(norm(add(act(norm(x)), x))));
  return sequential({ twice, b: block() });
}

/** Two blocks side by side, whose outputs are added. */
function branches(): Layer {
  const [a, b] = [block(), block()];
  return layer((x) => add(a(x), b(x)));
}

/** Layers between stem and head, and the number of norm gradients that absorb an addition. */
const MIDDLES: Readonly<Record<string, { readonly middle: Layer; readonly sums: number }>> = {
  "two blocks": { middle: sequential({ a: block(), b: block() }), sums: 1 },
  "a block applied twice": { middle: sharedBlock(), sums: 1 },
  "a norm applied twice": { middle: sharedNorm(), sums: 0 },
  "a block whose output is added to itself": {
    middle: sequential({ a: block(), twice: layer((x) => add(x, x)) }),
    sums: 1,
  },
  "a block with three readers": {
    middle: sequential({
      a: block(),
      three: layer((x) => add(add(relu()(x), maxPool2d({ kernel: 3, stride: 1, padding: 1 })(x)), x)),
    }),
    sums: 0,
  },
  "blocks that read one sum of gradients": { middle: sequential({ a: branches(), b: block() }), sums: 0 },
};

const LEVELS = ["O0", "O1", "O2", "O3"] as const;

for (const [i, [name, { middle, sums }]] of sampled([...Object.entries(MIDDLES).entries()], 2)) {
  Deno.test(`on GPUs fusion does not change the gradients of ${name}`, async () => {
    const definition = {
      name: "fusion",
      model: sequential({ stem: stem(), middle, head: head() }),
      loss: crossEntropy(),
      optimizer: sgd({ learningRate: 0.1 }),
      data: classified([3, 8, 9], 4),
      loader: { batchSize: 4 },
    };
    for (const level of full ? LEVELS : [LEVELS[i % LEVELS.length]!]) {
      const plain = await classSteps({ ...definition, compile: { fusion: false } }, level, "cpu", 1);
      const { nodes, gradients } = await classSteps(definition, level, "gpu", 1);
      const absorbing = nodes.filter(({ type, members }) => type === "batch_norm_grad" && members.length > 1);
      // In O1, casts separate a norm from the addition after it
      if (level !== "O1") assert.equal(absorbing.length, sums, `additions in ${level}`);
      for (const [parameter, { data }] of gradients) {
        assertClose(data, plain.gradients.get(parameter)!.data, level === "O0" ? 2e-5 : 3e-2, `${parameter}, ${level}`);
      }
    }
  });
}

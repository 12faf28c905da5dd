import { adam, adamW, sgd } from "../../../mod.ts";
import type { OptimizerSpec } from "../../../runtime/nn/optimizers.ts";
import { assertClose } from "../../support/op_case.ts";
import * as reference from "../../support/reference/optimizers.ts";
import { Value } from "../../support/reference/value.ts";
import { trajectory } from "./trajectory.ts";

const CASES: readonly (readonly [OptimizerSpec, reference.Optimizer])[] = [
  ...[
    { learningRate: 0.1 },
    { learningRate: 0.1, weightDecay: 0.1 },
    { learningRate: 0.1, momentum: 0.9, dampening: 0.5 },
    { learningRate: 0.1, momentum: 0.9, nesterov: true, weightDecay: 0.1 },
  ].map((options) => [sgd(options), reference.sgd(options)] as const),
  ...[0, 0.1].flatMap((weightDecay) =>
    ([[adam, false], [adamW, true]] as const).map(([make, decoupled]) => {
      const options = { learningRate: 0.1, weightDecay };
      return [make(options), reference.adam({ ...options, decoupled })] as const;
    })
  ),
];

Deno.test("sgd, adam and adamW: the host form is torch.optim's algorithm", () => {
  const gradients = [1, -2, 0.5, 0, 3];
  for (const [spec, update] of CASES) {
    const parameter = Value.zeros([1]);
    parameter.data[0] = 2;
    const want = gradients.map((gradient) => {
      parameter.grad[0] = gradient;
      update([parameter]);
      return parameter.data[0]!;
    });
    assertClose(trajectory(spec, 2, gradients), want, 1e-14, JSON.stringify(spec));
  }
});

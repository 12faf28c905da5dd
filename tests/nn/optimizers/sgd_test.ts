import { sgd, type SgdOptions } from "../../../mod.ts";
import { assertClose } from "../../support/op_case.ts";
import * as reference from "../../support/reference/optimizers.ts";
import { Value } from "../../support/reference/value.ts";
import { trajectory } from "./trajectory.ts";

const OPTIONS: SgdOptions[] = [
  { learningRate: 0.1 },
  { learningRate: 0.1, weightDecay: 0.1 },
  { learningRate: 0.1, momentum: 0.9, dampening: 0.5 },
  { learningRate: 0.1, momentum: 0.9, nesterov: true, weightDecay: 0.1 },
];

Deno.test("sgd: the host form is torch.optim's algorithm", () => {
  const gradients = [1, -2, 0.5, 0, 3];
  for (const options of OPTIONS) {
    const update = reference.sgd(sgd(options));
    const parameter = Value.zeros([1]);
    parameter.data[0] = 2;
    const want = gradients.map((gradient) => {
      parameter.grad[0] = gradient;
      update([parameter]);
      return parameter.data[0]!;
    });
    assertClose(trajectory(sgd(options), 2, gradients), want, 1e-14, JSON.stringify(options));
  }
});

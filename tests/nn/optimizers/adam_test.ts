import { adam, adamW } from "../../../mod.ts";
import { assertClose } from "../../support/op_case.ts";
import * as reference from "../../support/reference/optimizers.ts";
import { Value } from "../../support/reference/value.ts";
import { trajectory } from "./trajectory.ts";

Deno.test("adam and adamW: the host form is torch.optim's algorithm", () => {
  const gradients = [1, -2, 0.5, 0, 3];
  for (const [make, decoupled] of [[adam, false], [adamW, true]] as const) {
    for (const weightDecay of [0, 0.1]) {
      const update = reference.adam({ learningRate: 0.1, weightDecay, decoupled });
      const parameter = Value.zeros([1]);
      parameter.data[0] = 2;
      const want = gradients.map((gradient) => {
        parameter.grad[0] = gradient;
        update([parameter]);
        return parameter.data[0]!;
      });
      const got = trajectory(make({ learningRate: 0.1, weightDecay }), 2, gradients);
      assertClose(got, want, 1e-14, `${make.name}, ${weightDecay}`);
    }
  }
});

/** Training steps of a scenario's first variant with the kernels and the plan of a class of adapters. */
import type { ScenarioDefinition } from "../../mod.ts";
import type { PlannedNode } from "../../runtime/compile/plan.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { Session } from "../../runtime/trainer/session.ts";
import { labels, normals } from "./reference/random.ts";
import { withOpenSession } from "./session.ts";
import { withKernels } from "./with_kernels.ts";

/** Loss scale above O0. */
const SCALE = 1024;

export interface ClassSteps {
  readonly nodes: readonly PlannedNode[];
  /** Gradients of the first step. */
  readonly gradients: Awaited<ReturnType<Session["state"]["read"]>>;
  readonly outcomes: Awaited<ReturnType<Session["state"]["outcomes"]>>;
}

/** Trains on one random batch of the scenario's shape and classes; above O0 with a scaled loss. */
export async function classSteps(
  definition: Omit<ScenarioDefinition<Record<never, never>>, "amp">,
  level: "O0" | "O1" | "O2" | "O3",
  deviceClass: DeviceTraits["class"],
  steps: number,
): Promise<ClassSteps> {
  const scaled = { level, scaler: { init: SCALE } } as const;
  const scenario = { ...definition, amp: level === "O0" ? level : scaled };
  const run = () =>
    withOpenSession(scenario, async ({ dataset, device, compiled, session }) => {
      const { input, target } = compiled.plan.inputs;
      session.upload({
        input: normals(sizeOf(input!.shape), 1),
        target: labels(target!.shape[0]!, dataset.classes!, 2),
      });
      session.runOnce();
      const gradients = await session.state.read("gradients", level === "O0" ? 1 : SCALE);
      for (let i = 1; i < steps; i++) session.runOnce();
      const outcomes = await session.state.outcomes(0, steps);
      device.check();
      return { nodes: compiled.plan.nodes, gradients, outcomes };
    });
  return await withKernels(deviceClass, run);
}

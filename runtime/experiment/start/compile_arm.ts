import type { Arm } from "../arm.ts";
import type { RunProgress } from "../run_progress.ts";

/** Compiles the shaders of an arm before its first step, and reports each of them. */
export async function compileArm(
  arm: Arm,
  { attempt, progress }: {
    readonly progress: RunProgress;
    attempt(arm: Arm, work: () => Promise<unknown>): Promise<void>;
  },
): Promise<void> {
  await attempt(
    arm,
    async () => await arm.kernels?.compile((done, all) => progress.at(arm.name, "compile", done, all)),
  );
}

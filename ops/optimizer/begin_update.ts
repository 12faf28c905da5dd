import { defineKernel, type KernelSpec } from "../../runtime/device/kernel.ts";
import { rateFactor, type RateSchedule } from "./rate_schedule.ts";
import { correction, LOSS_RING_STEPS, StepWord as W } from "./step_state.ts";

/** Loss scaling in mixed precision, as in PyTorch's `GradScaler`. */
export interface ScalerConstants {
  /** True if the scale adapts to overflows; false for a fixed scale. */
  readonly dynamic: boolean;
  /** Factor on the scale after `interval` updates without an overflow. */
  readonly growth: number;
  readonly interval: number;
  /** Factor on the scale after an overflow. */
  readonly backoff: number;
}

/** Largest loss scale. */
const MAX_SCALE = 2 ** 30;

/**
 * Minimum number of bias corrections, used or not; it keeps the kernel, which is part of a plan's fingerprint, stable.
 */
const MIN_CORRECTIONS = 2;

/**
 * Returns the kernel, of one invocation, that ends a step's backward pass: it decides whether to skip the update,
 * writes the loss into the ring, advances the counters and the optimizer's bias corrections, and adapts the loss scale.
 *
 * The corrections follow q(t+1) = q(t) * beta + (1 - beta), q(0) = 0. This equals 1 - beta^t and avoids the
 * cancellation of a power; the constants are rounded once from f64.
 *
 * Buffers: 0 step state, 1 loss `f32[1]`, 2 loss ring; without the loss if steps have several micro-batches, whose losses
 * and number the step state has.
 *
 * @param batches micro-batches of a step
 * @param schedule factor on the learning rate by the number of updates, which skipped steps do not advance; null for 1
 */
export function beginUpdateKernel(
  scaler: ScalerConstants,
  betas: readonly number[],
  batches = 1,
  schedule: RateSchedule | null = null,
): KernelSpec {
  const all = Array.from({ length: Math.max(MIN_CORRECTIONS, betas.length) }, (_, n) => betas[n] ?? 0);
  const fields = (name: string, of: (beta: number) => number) =>
    Object.fromEntries(all.map((beta, n) => [`${name}${n + 1}`, { f32: of(beta) }]));
  const corrections = all.map((_, n) =>
    `S[${W.corrections + n}] = bitcast<u32>(${correction(n)} * u.beta${n + 1} + u.rest${n + 1});`
  );
  const [loss, step, next] = batches === 1
    ? ["loss[0]", `S[${W.step}]`, `S[${W.step}] = step + 1u;`]
    : [`bitcast<f32>(S[${W.lossSum}])`, `S[${W.step}] / u.batches - 1u`, ""];
  const [rate, factor] = schedule === null ? ["", "0.0"] : [
    `
  let factor = rate_factor(S[${W.updates}]);
  S[${W.rateFactor}] = bitcast<u32>(factor);`,
    "factor",
  ];
  return defineKernel({
    name: schedule === null ? "update.begin" : "update.begin.scheduled",
    buffers: {
      S: { ref: { input: 0 }, type: "u32", access: "read_write" },
      ...batches === 1 && { loss: { ref: { input: 1 }, type: "f32" } },
      ring: { ref: { output: 0 }, type: "vec4<f32>" },
    },
    uniforms: {
      dynamic: scaler.dynamic ? 1 : 0,
      growth: { f32: scaler.growth },
      interval: scaler.interval,
      backoff: { f32: scaler.backoff },
      ...batches > 1 && { batches },
      ...fields("beta", (beta) => beta),
      ...fields("rest", (beta) => 1 - beta),
      ...schedule?.uniforms,
    },
    ...schedule !== null && { prelude: rateFactor(schedule) },
    workgroupSize: [1],
    grid: [1],
    body: `
  let overflow = S[${W.overflow}] != 0u;
  let scale = bitcast<f32>(S[${W.lossScale}]);
  let step = ${step};${rate}
  S[${W.overflow}] = 0u;
  S[${W.skip}] = select(0u, 1u, overflow);
  S[${W.inverseScale}] = bitcast<u32>(1.0 / scale);
  ring[step % ${LOSS_RING_STEPS}u] = vec4<f32>(${loss}, scale, select(0.0, 1.0, overflow), ${factor});
  ${next}
  if (overflow) {
    S[${W.skipped}] += 1u;
    if (u.dynamic != 0u) {
      S[${W.lossScale}] = bitcast<u32>(scale * u.backoff);
      S[${W.growthTracker}] = 0u;
    }
    return;
  }
  S[${W.updates}] += 1u;
  ${corrections.join("\n  ")}
  if (u.dynamic != 0u) {
    let tracker = S[${W.growthTracker}] + 1u;
    S[${W.growthTracker}] = select(tracker, 0u, tracker >= u.interval);
    if (tracker >= u.interval) {
      S[${W.lossScale}] = bitcast<u32>(min(scale * u.growth, ${MAX_SCALE}.0));
    }
  }`,
  });
}

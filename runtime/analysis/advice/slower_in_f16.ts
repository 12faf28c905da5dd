import type { Change } from "../../result/finding.ts";
import type { AdviceContext } from "./context.ts";
import { digits, ms } from "./evidence.ts";
import { type Rule, rule } from "./rule.ts";
import { opTime } from "./op_times.ts";
import type { Settings } from "./settings.ts";
import { shortened } from "./step_parts.ts";

const KIND = "slower-in-f16";

/** Minimum ratio of op times to call an op slower; smaller ones occur by chance. */
const SLOWER = 1.1;

/** Type of the test for overflow, a kernel of the update. */
const OVERFLOW_TEST = "overflow_test";

/** Maximum number of layers to name in a change; with more, the level itself is wrong. */
const MAX_LAYERS = 8;

/** Proposes keeping layers in f32 whose ops are slower in f16, or f32 throughout if that is faster. */
export const slowerInF16: Rule = Object.assign((context: AdviceContext) => {
  const { baseline, baselineSettings, settings } = context;
  if (settings.amp.level === "O0") return null;
  return baselineSettings?.amp.level === "O0" && baseline!.ops.length > 0 ? byOps(context) : byPeaks(context);
}, { kind: KIND });

/** Compares the ops with the same ops in f32 by their shortest calls, since the two were timed at different times. */
const byOps = rule(KIND, ["baseline"], ({ baseline, parts, settings, variant }) => {
  const inF32 = baseline.ops;
  const before = new Map(inF32.map((op) => [op.id, op.min]));
  const lost = new Map<string, number>();
  for (const { id, layer, min, phase } of variant.ops) {
    const reference = before.get(id);
    if (reference == null || min === null || phase === "update" || layer === "") continue;
    lost.set(layer, (lost.get(layer) ?? 0) + min - reference);
  }
  const slow = [...lost].filter(([layer, extra]) => {
    const reference = inF32.filter((op) => op.layer === layer).reduce((sum, { min }) => sum + (min ?? 0), 0);
    return extra > 0 && reference + extra > reference * SLOWER;
  }).toSorted((a, b) => b[1] - a[1]);
  if (slow.length === 0) return null;
  const spared = slow.reduce((sum, [, extra]) => sum + extra, 0);
  const whole = opTime(variant.ops) - opTime(inF32);
  const leave = slow.length > MAX_LAYERS || whole >= spared;
  const saved = leave ? Math.max(0, whole) : spared;
  const layers = slow.map(([layer]) => layer);
  const changes: Change[] = leave ? [toF32(settings)] : [{
    path: "amp.keepF32",
    from: settings.amp.keepF32,
    to: [...new Set([...settings.amp.keepF32, ...layers])],
  }];
  const { gain, limit } = shortened(parts, Math.min(saved, parts.step / 2));
  return {
    severity: "warning",
    message: leave
      ? `Ops are slower in f16 than in f32, in ${
        slow.length === 1 ? "one layer" : `${slow.length} layers`
      }: train in f32`
      : `${layers.length === 1 ? "One layer is" : `${layers.length} layers are`} slower in f16: keep ${
        layers.length === 1 ? "it" : "them"
      } in f32`,
    evidence: slow.slice(0, 3).map(([layer, extra]) => ({
      label: layer,
      value: `${ms(extra)} longer per step than in ${baseline.name}`,
      where: `op:${variant.ops.find((op) => op.layer === layer)!.id}`,
    })),
    changes,
    gain,
    reasoning: `saves ${ms(saved)} of a step of ${ms(parts.step)}, compared op by op with ${baseline.name}${limit}`,
  };
});

/**
 * Compares the adapter's peaks if no f32 ops were measured. Kernels sum in f32, so other ops take about as long in f32, and
 * what only mixed precision does is saved.
 */
const byPeaks = rule(KIND, ["device", "ops", "peaks"], ({ device, ops, parts, peaks, settings }) => {
  if (peaks.f16 === null || peaks.f32.value < SLOWER * peaks.f16.value) return null;
  const added = opTime(ops.filter(({ type, roles }) => roles.includes("conversion") || type === OVERFLOW_TEST));
  const all = opTime(ops);
  const saved = device * added / all;
  const { gain, limit } = shortened(parts, saved);
  return {
    severity: "warning",
    message: "This adapter is slower in f16 than in f32: train in f32",
    evidence: [
      {
        label: "peaks",
        value: `f32 ${digits(peaks.f32.value / 1e9)} GFLOP/s, f16 ${digits(peaks.f16.value / 1e9)} GFLOP/s`,
        where: "roofline",
      },
      { label: "conversions and tests for overflow", value: `${ms(added)} of ${ms(all)}`, where: "ops" },
    ],
    changes: [toF32(settings)],
    gain,
    reasoning:
      `conversions and tests for overflow take ${ms(saved)} of a step of ${ms(parts.step)}; other ops sum in ` +
      `f32 already, and take about as long${limit}`,
  };
});

function toF32({ amp: { level } }: Settings): Change {
  return { path: "amp.level", from: level, to: "O0" };
}

import type { AdviceContext } from "./context.ts";
import { digits, ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import type { Settings, TransformSettings } from "./settings.ts";
import { stageTime } from "./step_parts.ts";
import { stepWithFasterMaking } from "./step_with_making.ts";
import { transformStages } from "./transform_stages.ts";

/** Sources whose images are bytes of one size. */
const BYTES: ReadonlySet<string> = new Set(["cifar10", "cifar100", "idx", "syntheticImages"]);

const POINTS: ReadonlySet<string> = new Set(["normalize", "rescale"]);
const MOVES: ReadonlySet<string> = new Set([
  "randomCrop",
  "centerCrop",
  "randomHorizontalFlip",
  "hwcToChw",
  "chwToHwc",
]);

/** For each f32 that it writes, the device reads a byte. */
const BYTES_A_VALUE = 5;

/** Leaves transforms to the device, which get there as bytes: a quarter of the data. */
export const placement = rule("placement", ["model", "pipeline"], (context) => {
  const { parts, peaks, pipeline, settings, software } = context;
  if (!movable(settings)) return null;
  const { sum } = transformStages(pipeline);
  const values = valuesOf(context);
  // Without a peak nothing is known of what it costs a software adapter, which has the cores that do it now
  if (values === null || (peaks === null && software)) return null;
  const added = peaks === null ? 0 : values * BYTES_A_VALUE / peaks.copy.value * 1000;
  const copied = stageTime(pipeline, "copy") * 3 / 4;
  const saved = copied + parts.step - stepWithFasterMaking(context, sum);
  const time = parts.step - saved + added;
  return {
    message: "The device can do the crops, flips and normalize: bytes are a quarter of the data",
    evidence: [
      { label: "transforms on the host", value: `${ms(sum)} a batch`, where: "pipeline" },
      { label: "copying a batch", value: ms(parts.copy), where: "pipeline" },
      { label: "values of a batch", value: `${digits(values / 1e6)} million`, where: "ops" },
    ],
    changes: [{ path: "data.placement", from: "host", to: "device" }],
    gain: parts.step / time,
    reasoning: `a step is ${ms(saved)} shorter without these on the host, and ${ms(added)} longer by a pass of the ` +
      `device's over the batch at its peak of copying`,
  };
});

/** Whether all transforms can run there: nothing but crops, flips and point by point, padding never after those. */
function movable({ data: { kind, placement, transforms } }: Settings): boolean {
  if (placement !== "host" || !BYTES.has(kind) || transforms.length === 0) return false;
  if (transforms.some(({ kind }) => !POINTS.has(kind) && !MOVES.has(kind))) return false;
  const padding = transforms.findLastIndex(pads);
  const point = transforms.findIndex(({ kind }) => POINTS.has(kind));
  return point < 0 || padding < point;
}

function pads(transform: TransformSettings): boolean {
  return transform.kind === "randomCrop" && Number(transform.padding ?? 0) > 0;
}

/** Values of a batch as the first op that takes it sees it; null without ops. */
function valuesOf({ variant: { ops }, settings: { loader: { batchSize } } }: AdviceContext): number | null {
  const shape = ops.find(({ phase, inputs }) => phase === "forward" && inputs[0]?.shape[0] === batchSize)?.inputs[0]
    ?.shape;
  return shape === undefined ? null : shape.reduce((product, size) => product * size, 1);
}

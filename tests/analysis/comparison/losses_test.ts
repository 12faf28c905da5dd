import { ok, strictEqual } from "node:assert/strict";
import { FIRST_TOLERANCE, qualityOf as judgeLosses, TOLERANCES } from "../../../runtime/analysis/comparison/losses.ts";
import { RandomStream } from "../../../runtime/core/random.ts";
import { qualitySchema } from "../../../runtime/result/comparison.ts";
import { fromLoss, type Loss } from "../../../runtime/result/schema.ts";

/** By smoothed losses alone. */
function qualityOf(losses: readonly (Loss | null)[], baseline: readonly (Loss | null)[], smoothed: number | null) {
  return judgeLosses(losses, baseline, smoothed === null ? null : { smoothed, first: null });
}

/** Losses that fall to `end` with noise of `noise` times their size. */
function training(seed: number, steps: number, end: number, noise: number): number[] {
  const random = new RandomStream(seed);
  return Array.from({ length: steps }, (_, i) => {
    const level = end + (2.3 - end) * Math.exp(-5 * i / steps);
    return level * Math.exp(noise * random.normal());
  });
}

function distance(losses: readonly (Loss | null)[], baseline: readonly (Loss | null)[]): number {
  const quality = qualityOf(losses, baseline, 0.1)!;
  qualitySchema.parse(quality);
  return fromLoss(quality.difference);
}

Deno.test("equal losses are kept at no tolerance", () => {
  const losses = training(1, 60, 0.1, 0.2);
  const quality = qualityOf(losses, losses, TOLERANCES.feed)!;
  strictEqual(quality.kept, true);
  strictEqual(quality.difference, 0);
  strictEqual(quality.step, 59);
  strictEqual(quality.loss, losses[59]);
});

Deno.test("one differing bit is not kept at no tolerance", () => {
  const losses = training(1, 60, 0.1, 0.2);
  const other = losses.with(30, losses[30]! * (1 + 1e-12));
  strictEqual(qualityOf(other, losses, 0)!.kept, false);
  strictEqual(qualityOf(other, losses, TOLERANCES.kernels)!.kept, true);
});

Deno.test("a training that learns less is not kept", () => {
  const good = training(1, 100, 0.05, 0.1);
  for (const end of [0.5, 1.5]) {
    strictEqual(qualityOf(training(1, 100, end, 0.1), good, TOLERANCES.precision)!.kept, false, `ends at ${end}`);
  }
  strictEqual(qualityOf(new Array(100).fill(2.3), good, TOLERANCES.precision)!.kept, false);
});

Deno.test("a loss near zero may differ by a multiple of itself", () => {
  const good = training(1, 200, 0.005, 0);
  const other = good.map((loss, i) => i > 150 ? loss * 1.3 : loss);
  ok(distance(other, good) < TOLERANCES.precision);
});

Deno.test("the difference is relative: losses of another unit have the same", () => {
  const [a, b] = [training(1, 80, 0.5, 0.1), training(2, 80, 0.5, 0.1)];
  const scale = (losses: number[]) => losses.map((loss) => loss * 1024);
  ok(Math.abs(distance(a, b) - distance(scale(a), scale(b))) < 1e-12);
});

Deno.test("a number against none is not kept, whichever has it", () => {
  const losses = training(1, 20, 0.5, 0.1);
  for (const bad of ["NaN", "Infinity", "-Infinity"] as const) {
    const broken: Loss[] = losses.with(19, 0).map((loss, i) => i === 19 ? bad : loss);
    for (const [a, b] of [[broken, losses], [losses, broken]] as const) {
      const quality = qualityOf(a, b, TOLERANCES.precision)!;
      strictEqual(quality.kept, false);
      strictEqual(quality.difference, "Infinity");
    }
    strictEqual(qualityOf(broken, broken, 0)!.kept, true);
  }
});

Deno.test("only steps that have both losses are compared", () => {
  const losses = training(1, 40, 0.5, 0.1);
  const longer = [...losses, 99, 99];
  strictEqual(qualityOf(longer, losses, 0)!.step, 39);
  const some = longer.map((loss, i) => i % 3 === 0 ? null : loss);
  const quality = qualityOf(some, losses, 0)!;
  strictEqual(quality.kept, true);
  strictEqual(quality.step, 38);
  strictEqual(qualityOf([null, null], losses, 0), null);
  strictEqual(qualityOf([], losses, 0), null);
});

Deno.test("another training is not kept where it diverges", () => {
  const losses: Loss[] = training(1, 40, 0.5, 0.1);
  const grows = losses.map((loss, i) => i === 0 ? loss : 4.5e5);
  const breaks = losses.map((loss, i): Loss => i < 5 ? loss : "NaN");
  for (const bad of [grows, breaks]) {
    strictEqual(qualityOf(bad, losses, null)!.kept, false);
    strictEqual(qualityOf(losses, bad, null)!.kept, true, "it is the baseline that diverges");
    strictEqual(qualityOf(bad, bad, null)!.kept, true, "both do");
  }
  const jumps = losses.with(20, "Infinity");
  strictEqual(qualityOf(jumps, losses, null)!.kept, true, "it came back");
});

Deno.test("a loss with another factor is not kept, though it falls as the baseline's", () => {
  const losses = training(1, 60, 0.5, 0.1);
  const limits = { smoothed: TOLERANCES.kernels, first: FIRST_TOLERANCE };
  const scaled = losses.map((loss) => loss * 1.25);
  strictEqual(qualityOf(scaled, losses, TOLERANCES.kernels)!.kept, true, "the smoothed tolerance does not see it");
  const quality = judgeLosses(scaled, losses, limits)!;
  qualitySchema.parse(quality);
  strictEqual(quality.kept, false);
  ok(Math.abs(fromLoss(quality.first!.difference) - 0.25) < 1e-9);
  strictEqual(judgeLosses(losses.map((loss) => loss * 1.0005), losses, limits)!.kept, true);
  strictEqual(judgeLosses(losses.with(3, losses[3]! * 1.1), losses, limits)!.kept, true, "later steps may be off");
  strictEqual(judgeLosses(losses.with(2, losses[2]! * 1.1), losses, limits)!.kept, false);
  const late = losses.map((loss, i) => i < 3 ? null : loss);
  strictEqual(judgeLosses(late, losses, limits)!.first, null, "none of the first losses was read");
  strictEqual(fromLoss(judgeLosses(["NaN", ...losses], ["NaN", ...losses], limits)!.first!.difference), 0);
  strictEqual(fromLoss(judgeLosses(losses.with(0, 0), losses.with(0, 0), limits)!.first!.difference), 0);
});

Deno.test("no tolerance keeps every training that does not diverge, and tells the difference", () => {
  const quality = qualityOf([9, 9, 9], [1, 1, 1], null)!;
  strictEqual(quality.kept, true);
  strictEqual(quality.difference, 8);
});

Deno.test("a loss of zero against one that is not", () => {
  strictEqual(qualityOf([0, 0], [0, 0], 0)!.difference, 0);
  strictEqual(qualityOf([1, 1], [0, 0], 0.1)!.difference, "Infinity");
});

Deno.test("long trainings", () => {
  const losses = training(1, 200_000, 0.1, 0.1);
  strictEqual(qualityOf(losses, losses, 0)!.kept, true);
});

import { fromLoss, type Loss, type Quality, type VariantResult } from "../../result/schema.ts";
import type { LogEstimate } from "./estimate.ts";
import { FIRST_STEPS } from "./losses.ts";
import { ENOUGH_SETUPS } from "./setups.ts";
import { roundsToReject, SIGNIFICANCE } from "./winsorised.ts";

/** Largest number of rounds or set-ups to suggest; beyond it, a reason only says that it would take more. */
const MANY = 200;

/** Input of a verdict. */
export interface Evidence {
  readonly estimate: LogEstimate;
  readonly adjustedP: number;
  /** Number of variants tested together. */
  readonly tests: number;
  /** Indifference band: a speed-up between 1 / (1 + band) and 1 + band counts as the same speed. */
  readonly band: number;
  readonly quality: Quality | null;
  /** Why the steps of the two are not the same work, such as updates that loss scaling skipped; null where they are. */
  readonly unequal: string | null;
}

/** A verdict with its reason. */
export interface Judgement {
  readonly verdict: NonNullable<VariantResult["verdict"]>;
  /** One sentence for the user. */
  readonly reason: string;
}

/** Judges the evidence; docs/statistics.md describes the rules. */
export function judge(evidence: Evidence): Judgement {
  const { estimate, adjustedP, tests, band, quality, unequal } = evidence;
  const { rounds, value, interval, smallestP, method } = estimate;
  if (unequal !== null) return { verdict: "invalid", reason: unequal };
  if (quality !== null && !quality.kept) return { verdict: "invalid", reason: lossReason(quality) };
  const needed = roundsToReject(1);
  if (rounds < needed || interval === null) {
    const few = `${count(rounds, "round")} ${rounds === 1 ? "is" : "are"} too few`;
    return { verdict: "unclear", reason: `${few}; ${roundsToReject(tests)} are needed` };
  }
  const [inner, edges] = [Math.log1p(band), `×${ratio(interval.low)} to ×${ratio(interval.high)}`];
  if (interval.low >= -inner && interval.high <= inner) {
    return { verdict: "same", reason: `${edges} is within ${percent(band)} of the baseline` };
  }
  const side = interval.low > inner ? "above" : interval.high < -inner ? "below" : null;
  if (side === null) {
    const more = moreOf(estimate, (interval.high - interval.low) / 2, Math.abs(Math.abs(value) - inner));
    return {
      verdict: "unclear",
      reason: `${edges} leaves open whether the difference exceeds ${percent(band)}${more}`,
    };
  }
  const p = `p ${shortP(adjustedP)}${smallestP === null ? ` by ${method}` : ""}`;
  if (adjustedP < SIGNIFICANCE) {
    const verdict = side === "above" ? "faster" : "slower";
    return { verdict, reason: `${edges} is more than ${percent(band)} ${verdict}, ${p}` };
  }
  const corrected = `${p} after the correction for ${count(tests, "variant")}`;
  const reachable = (smallestP ?? 0) * tests < SIGNIFICANCE;
  return {
    verdict: "unclear",
    reason: corrected + (reachable ? moreSetups(estimate) ?? "" : `; ${roundsToReject(tests)} rounds are needed`),
  };
}

/** Suggests a number of rounds or set-ups, as the interval narrows with their square root. */
function moreOf(estimate: LogEstimate, half: number, distance: number): string {
  const few = moreSetups(estimate);
  if (few !== null) return few;
  const { unit, rounds, setups } = estimate;
  const [now, noun] = unit === "set-up" ? [setups, "set-ups"] : [rounds, "rounds"];
  const needed = Math.ceil(now * (half / distance) ** 2);
  if (needed <= now) return "";
  return needed <= MANY ? `; about ${needed} ${noun} would decide` : `; it would take over ${MANY} ${noun} to decide`;
}

/** Suggests more set-ups where there are too few to show how much they differ; null otherwise. */
function moreSetups({ unit, setups }: LogEstimate): string | null {
  if (unit !== "set-up" || setups >= ENOUGH_SETUPS) return null;
  return `; ${setups} set-ups show little of how much set-ups differ: give measure.setups=${ENOUGH_SETUPS}, or ` +
    `measure.processes=${ENOUGH_SETUPS} for fresh processes`;
}

function lossReason({ step, loss, baselineLoss, difference, tolerance, first }: Quality): string {
  if (tolerance === null) {
    return `training diverges: the loss at step ${step} is ${short(loss)}, the baseline's ${short(baselineLoss)}`;
  }
  if (first !== null && fromLoss(first.difference) > first.tolerance) {
    return `a loss of the first ${FIRST_STEPS} steps is ${off(first.difference)}, ${percent(first.tolerance)} allowed`;
  }
  return `the loss up to step ${step} is ${off(difference)}, ${percent(tolerance)} allowed`;
}

function off(difference: Loss): string {
  const distance = fromLoss(difference);
  return Number.isFinite(distance) ? `${percent(distance)} off the baseline's` : "a number in one of the two only";
}

function short(loss: Loss): string {
  return String(Number(fromLoss(loss).toPrecision(3)));
}

function ratio(log: number): string {
  const value = Math.exp(log);
  return value.toFixed(Math.abs(value - 1) < 0.1 ? 3 : 2);
}

function percent(part: number): string {
  const value = part * 100;
  return `${
    value >= 10 ? value.toFixed(0) : value >= 0.1 || value === 0 ? value.toFixed(1) : value.toExponential(0)
  } %`;
}

function shortP(p: number): string {
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

import { compareArms } from "../../runtime/analysis/comparison/compare.ts";
import type { Judged } from "../../runtime/analysis/comparison/compare.ts";
import { percent, table } from "../simulation/markdown.ts";
import type { EvidenceRun } from "./runs.ts";

/** Most CPU time of others, in cores, in a run without other work. */
const WITHOUT = 0.1;

/** Steps per block. */
const STEPS = 5;

/** Returns the tables of the protocol: judged again from the blocks. */
export function reportTables(runs: readonly EvidenceRun[]): string {
  if (runs.length === 0) return "No run was kept yet.";
  const conditions = [
    { name: "without other work", runs: runs.filter(({ otherLoad }) => otherLoad <= WITHOUT) },
    { name: "with other work", runs: runs.filter(({ otherLoad }) => otherLoad > WITHOUT) },
  ];
  const equals = conditions.map(({ name, runs }) => equalsRow(name, runs.filter(({ kind }) => kind === "aa")));
  const planted = conditions.flatMap(({ name, runs }) =>
    plantedRows(name, runs.filter(({ kind }) => kind === "planted"))
  );
  const differing = runs.filter((run) => [...judge(run)].some(([name, { verdict }]) => verdict !== run.verdicts[name]));
  return [
    table([
      "A/A runs",
      "runs",
      "faster, slower or invalid",
      "95 % interval",
      "coverage",
      "cores used by others, quartiles",
    ], equals),
    table(["planted delay", "runs", "real size, quartiles", "slower", "95 % interval", "faster"], planted),
    `Adapter: ${[...new Set(runs.map(({ adapter }) => adapter))].join(", ")}. Set-ups: ${spanOf(runs)}. ` +
    `${differing.length} of ${runs.length} runs are judged otherwise than when they ran.`,
  ].join("\n\n");
}

function equalsRow(name: string, runs: readonly EvidenceRun[]): string[] {
  const judged = runs.map((run) => judge(run).get("again")!);
  const called = judged.filter(({ verdict }) => verdict !== "same" && verdict !== "unclear").length;
  const covered = judged.filter(({ comparison }) => {
    const { low, high } = comparison!.speedup;
    return low !== null && high !== null && low <= 1 && high >= 1;
  }).length;
  if (runs.length === 0) return [name, "0", "–", "–", "–", "–"];
  const loads = quartiles(runs.map(({ otherLoad }) => otherLoad)).map((load) => load.toFixed(1));
  return [
    name,
    String(runs.length),
    share(called, runs.length),
    between(called, runs.length),
    share(covered, runs.length),
    loads.join(" / "),
  ];
}

function plantedRows(name: string, runs: readonly EvidenceRun[]): string[][] {
  return Object.keys(runs[0]?.delays ?? {}).map((arm) => {
    const verdicts = runs.map((run) => judge(run).get(arm)!.verdict);
    const found = verdicts.filter((verdict) => verdict === "slower").length;
    const wrong = verdicts.filter((verdict) => verdict === "faster").length;
    const sizes = quartiles(runs.map((run) => run.delays[arm]! / medianStep(run))).map(percent);
    const cells = [sizes.join(" / "), share(found, runs.length), between(found, runs.length), String(wrong)];
    return [`${name}, ${arm.replace("slow", "")} %`, String(runs.length), ...cells];
  });
}

/** Judges a run's blocks with today's method. */
function judge({ blocks, baseline, controlArm, minEffect, seed }: EvidenceRun): ReadonlyMap<string, Judged> {
  const arms = Object.entries(blocks).filter(([name]) => name !== controlArm).map(([name, own]) => ({
    ...{ name, quality: null, updates: null, failed: false },
    blocks: own.map((block) => ({ ...block, steps: [] })),
  }));
  const { byName } = compareArms({
    ...{ baseline, arms, minEffect, byPrecision: false, seed },
    controlArm: blocks[controlArm]!.map((block) => ({ ...block, steps: [] })),
  });
  return new Map([...byName].filter(([name]) => name !== baseline));
}

function medianStep({ blocks, baseline }: EvidenceRun): number {
  return quartiles(blocks[baseline]!.map(({ wall }) => wall / STEPS))[1]!;
}

function spanOf(runs: readonly EvidenceRun[]): string {
  const counts = runs.map(({ setups }) => setups.count);
  const shares = runs.map(({ setups }) => setups.share ?? 0);
  return `${Math.min(...counts)} to ${Math.max(...counts)} in each run, ${
    percent(Math.max(...shares))
  } % of its time at most`;
}

function quartiles(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.25, 0.5, 0.75].map((part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN);
}

function share(count: number, all: number): string {
  return all === 0 ? "–" : `${count} (${percent(count / all)} %)`;
}

/** Returns the 95 % interval of a rate (C. Clopper and E. Pearson, Biometrika 26, 1934). */
function between(count: number, all: number): string {
  if (all === 0) return "–";
  const low = count === 0 ? 0 : rateAt((rate) => 1 - upTo(count - 1, all, rate) >= 0.025);
  const high = count === all ? 1 : rateAt((rate) => upTo(count, all, rate) <= 0.025);
  return `${percent(low)} to ${percent(high)}`;
}

/** Returns the smallest rate that meets the condition. */
function rateAt(meets: (rate: number) => boolean): number {
  let [below, above] = [0, 1];
  for (let i = 0; i < 40; i++) {
    const middle = (below + above) / 2;
    if (meets(middle)) above = middle;
    else below = middle;
  }
  return above;
}

/** Returns the probability of at most `count` hits. */
function upTo(count: number, all: number, rate: number): number {
  let [term, sum] = [(1 - rate) ** all, 0];
  for (let hits = 0; hits <= count; hits++) {
    sum += term;
    term *= (all - hits) / (hits + 1) * rate / (1 - rate);
  }
  return sum;
}

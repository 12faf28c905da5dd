/**
 * Compares the ops of a small network with themselves and with a planted slower op, in real runs, within a run and between
 * two runs.
 *
 *     deno task bench:diff                       # 20 runs
 *     deno task bench:diff --runs 5 --keep DIR   # keeps result.json of each run in DIR, and takes those it has
 *     deno task bench:diff --from DIR            # analyses kept results again
 *
 * Exits with 1 if more than one comparison in twenty of equal variants shows a change, or if the planted op is not the first
 * in more than one in twenty within a run. Two runs are two processes, whose ops differ by more than some changes.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isChanged, opDiff } from "../runtime/analysis/op_diff/op_diff.ts";
import { DIFF_UNITS, type DiffUnit, variantSide } from "../runtime/analysis/op_diff/side.ts";
import type { Result, VariantResult } from "../runtime/result/schema.ts";
import { OtherLoad } from "./evidence/other_load.ts";
import { table } from "./simulation/markdown.ts";

const { values: flags } = parseArgs({
  options: { runs: { type: "string", default: "20" }, keep: { type: "string" }, from: { type: "string" } },
});

/** Largest part of the comparisons that may be wrong. */
const WRONG = 1 / 20;

const SCRIPT = new URL("./op_diff/planted.ts", import.meta.url).pathname;

interface Run {
  readonly id: string;
  readonly variants: ReadonlyMap<string, VariantResult>;
  readonly adapter: string | null;
  readonly minEffect: number | undefined;
}

const runs = flags.from === undefined ? await measured(Number(flags.runs)) : kept(flags.from);
const rows: string[][] = [];
for (const by of DIFF_UNITS) {
  const neighbours = runs.slice(1).map((run, i) => [runs[i]!, run] as const);
  rows.push(
    row(`two variants of a run, by ${by}`, runs.map((run) => [run, run] as const), "again", by),
    row(`the same variant in two runs, by ${by}`, neighbours, "baseline", by),
  );
}
console.log(table(["comparison", "pairs", "equal: no change", "planted: first and slower", "times as slow"], rows));
console.log(`\nAdapter: ${runs[0]?.adapter ?? "unknown"}`);
const isRight = ([name, ...cells]: readonly string[]) => {
  const [pairs, clean, first] = cells.map(Number);
  return clean! >= (1 - WRONG) * pairs! && (name!.includes("two runs") || first! >= (1 - WRONG) * pairs!);
};
if (!rows.every(isRight)) Deno.exit(1);

/** Returns a row of the table: pairs of runs, and in how many of them the difference is right. */
function row(name: string, pairs: readonly (readonly [Run, Run])[], equal: string, by: DiffUnit): string[] {
  let [clean, first] = [0, 0];
  const ratios: number[] = [];
  for (const [a, b] of pairs) {
    const diff = (other: string) =>
      opDiff(
        variantSide("A", a.variants.get("baseline")!, by, a.id),
        variantSide("B", b.variants.get(other)!, by, b.id),
        b.minEffect,
      );
    if (!diff(equal).rows.some(isChanged)) clean++;
    const [top] = diff("slower").rows;
    const isPlanted = top!.name.includes("busy") && top!.verdict === "slower";
    if (isPlanted) {
      first++;
      ratios.push(top!.ratio!);
    }
  }
  const range = ratios.length === 0 ? "–" : `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  return [name, `${pairs.length}`, `${clean}`, `${first}`, range];
}

async function measured(count: number): Promise<Run[]> {
  if (!Number.isInteger(count) || count < 2) throw new Error(`--runs ${count}: expected at least 2`);
  const runs: Run[] = [];
  for (let i = 0; i < count; i++) {
    const file = flags.keep === undefined ? null : join(flags.keep, `${i + 1}.json`);
    if (file !== null && existsSync(file)) {
      runs.push(parsed(Deno.readTextFileSync(file), `${i + 1}`));
      continue;
    }
    const load = OtherLoad.start();
    const began = performance.now();
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", SCRIPT, "--seed", `${i + 1}`, "--verbosity", "2", "--no-store", "--json", "-"],
    }).output();
    const text = new TextDecoder().decode(stdout);
    if (!success) throw new Error(`run ${i + 1} failed: ${new TextDecoder().decode(stderr)}`);
    if (file !== null) Deno.writeTextFileSync(file, text);
    runs.push(parsed(text, `${i + 1}`));
    const seconds = (performance.now() - began) / 1000;
    console.error(`run ${i + 1} of ${count}: ${seconds.toFixed(0)} s, ${load.end().toFixed(1)} busy cores`);
  }
  return runs;
}

function kept(folder: string): Run[] {
  const files = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".json"));
  return files.toSorted((a, b) => parseInt(a) - parseInt(b)).map((name) =>
    parsed(Deno.readTextFileSync(join(folder, name)), name)
  );
}

function parsed(text: string, id: string): Run {
  const { variants, environment, procedure }: Result = JSON.parse(text);
  return {
    id,
    variants: new Map(variants.map((variant) => [variant.name, variant])),
    adapter: environment.adapter?.name ?? null,
    minEffect: procedure?.minEffect,
  };
}

import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import {
  hyperfineCsv,
  hyperfineJson,
  hyperfineMarkdown,
  type HyperfineResult,
  hyperfineResults,
} from "../../../runtime/cli/versus/hyperfine_exports.ts";
import type { VariantResult } from "../../../runtime/result/schema.ts";
import { isInstalled } from "../../support/is_installed.ts";

const hyperfine = await isInstalled("hyperfine");

type Measured = Pick<VariantResult, "name" | "axes" | "blocks">;

/** Returns variants with the runs that hyperfine measured. */
function measuredAs(results: readonly HyperfineResult[]): Measured[] {
  return results.map(({ times, exit_codes, user, system, parameters = {} }, i) => ({
    name: `c${i}`,
    axes: parameters,
    blocks: times.map((time, round) => ({
      ...{ round, setup: 0, position: i, samples: 1, wall: 1000 * time, steps: [] },
      runs: [{ wall: 1000 * time, user: 1000 * user!, system: 1000 * system!, memory: 0, status: exit_codes[round]! }],
    })),
  }));
}

/** Asserts that two results agree but for rounding. */
function close(own: HyperfineResult, other: HyperfineResult): void {
  for (const [key, value] of Object.entries(other)) {
    const mine = (own as unknown as Record<string, unknown>)[key];
    if (typeof value === "number") ok(Math.abs(mine as number - value) <= 1e-9, `${key}: ${mine}, ${value}`);
    else if (key !== "times") deepEqual(mine, value);
  }
}

Deno.test("exports of the same runs are those of hyperfine", { ignore: !hyperfine }, async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = (type: string) => join(folder, `export.${type}`);
    for (const own of [["-L", "n", "1,2", "sleep 0.01{n}; exit {n}"], ["-N", "sleep 0.002", "sleep 0.004"]]) {
      const exported = ["json", "csv", "markdown"].flatMap((type) => [`--export-${type}`, path(type)]);
      const { success } = await new Deno.Command("hyperfine", {
        args: ["-i", "-r", "3", "-w", "0", "--style", "none", ...exported, ...own],
        stdout: "null",
        stderr: "null",
      }).output();
      ok(success);
      const theirs = JSON.parse(await Deno.readTextFile(path("json"))).results as HyperfineResult[];
      const titles = new Map(theirs.map(({ command }, i) => [`c${i}`, command]));
      const ours = hyperfineResults(measuredAs(theirs), titles);
      const written = JSON.parse(hyperfineJson(ours)).results as HyperfineResult[];
      deepEqual(written.map((one) => Object.keys(one)), theirs.map((one) => Object.keys(one)));
      ours.forEach((one, i) => close(one, theirs[i]!));
      equal(hyperfineCsv(theirs).split("\n")[0], (await Deno.readTextFile(path("csv"))).split("\n")[0]);
      equal(hyperfineMarkdown(theirs), await Deno.readTextFile(path("markdown")));
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("what the system does not tell is null, and a single run has no deviation", () => {
  const [one] = hyperfineResults([{
    name: "a",
    axes: {},
    blocks: [{
      ...{ round: 0, position: 0, samples: 1, wall: 1500, steps: [] },
      runs: [{ wall: 1500, user: null, system: null, memory: null, status: 0 }],
    }],
  }], new Map([["a", "x, y | z"]]));
  deepEqual([one!.stddev, one!.user, one!.mean], [null, null, 1.5]);
  equal(hyperfineCsv([one!]).split("\n")[1], '"x, y | z",1.5,,1.5,,,1.5,1.5');
  equal(hyperfineMarkdown([one!]).split("\n")[2], "| `x, y \\| z` | 1.500 | 1.500 | 1.500 | 1.00 |");
});

/** Compares trainings on several ranks with the same on one. */
import assert, { deepStrictEqual } from "node:assert/strict";
import type { Result, VariantResult } from "../../mod.ts";
import { full } from "../support/full.ts";
import { isInstalled, mpirun } from "./mpirun.ts";

/** Number of losses that are compared. */
const STEPS = 12;

/** Trainings of the fast set. One of them has most settings at once. */
const FAST = ["gpt", "ema", "together-amp", "overflow"];

/** Largest relative difference of a loss, where it is not 1e-5. */
const TOLERANCES: Readonly<Record<string, number>> = {
  overflow: 1e-3, // f16
  "together-amp": 1e-3,
};

/** Trains on four ranks and returns the variants by name. */
async function train(args: readonly string[]): Promise<Map<string, VariantResult>> {
  const all = [...args, "--json", "-", "--no-store"];
  const { code, stdout, stderr } = await mpirun("mpirun.openmpi", 4, all, {}, "agreement_script.ts");
  deepStrictEqual(code, 0, stderr);
  return new Map((JSON.parse(stdout) as Result).variants.map((variant) => [variant.name, variant]));
}

function assertClose(name: string, one: readonly unknown[], ranks: readonly unknown[]): void {
  const limit = TOLERANCES[name] ?? 1e-5;
  assert(Math.min(one.length, ranks.length) >= STEPS);
  for (let i = 0; i < STEPS; i++) {
    const [actual, expected] = [Number(ranks[i]), Number(one[i])];
    assert(Math.abs(actual - expected) <= limit * expected, `${name}, step ${i}: ${actual} instead of ${expected}`);
  }
}

Deno.test({
  name: "four ranks train like one rank with the whole batch, and in the full set equally each time",
  ignore: !isInstalled("mpirun.openmpi"),
  fn: async () => {
    const chosen = FAST.flatMap((name) => [name, `${name}-ranks`]);
    const variants = await train(full ? [] : [`--variants=${chosen.join()}`]);
    const pairs = [...variants].filter(([name]) => variants.has(`${name}-ranks`));
    assert(pairs.length >= (full ? 12 : FAST.length));
    for (const [name, one] of pairs) {
      const ranks = variants.get(`${name}-ranks`)!;
      assertClose(name, one.losses, ranks.losses);
      deepStrictEqual(ranks.overflows, one.overflows, name);
    }
    assert(variants.get("overflow-ranks")!.overflows! > 0);
    const [averaged, alone] = ["ema-ranks", "ema"].map((name) => variants.get(name)!.evaluations[0]!);
    assert(Math.abs(Number(averaged!.loss) - Number(alone!.loss)) < 1e-5);

    if (!full) return;
    const some = ["mlp-ranks", "gpt-ranks", "overflow-ranks"];
    const again = await train([`--variants=${some.join()}`]);
    for (const name of some) deepStrictEqual(again.get(name)!.losses, variants.get(name)!.losses, name);
  },
});

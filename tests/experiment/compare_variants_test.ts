import assert from "node:assert/strict";
import { compareVariants } from "../../runtime/experiment/compare_variants.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { toByPhase } from "../../runtime/record/phases.ts";
import type { Block, VariantResult } from "../../runtime/result/schema.ts";
import { program as programOf } from "../../runtime/scenario/program.ts";
import { variant } from "../report/result_fixture.ts";
import { tiny } from "./running.ts";

const COMMAND = programOf("deno run a.ts");
const MEASURE = { steps: 5, skip: 3, maxSkip: 20, rounds: 2 };

/** Returns the steps of the final losses of variants that took these numbers of steps. */
function finalSteps(counts: Record<string, number>, measure: object = MEASURE, rest: Partial<VariantResult> = {}) {
  const scenario = resolveScenario(tiny({ measure }));
  const variants = Object.entries(counts).map(([name, count]) =>
    variant(name, { losses: Array.from({ length: count }, (_, step) => 9 - step / 10), ...name === "sink" ? rest : {} })
  );
  const compared = compareVariants({ ...scenario, tolerance: () => null }, variants, 0, null);
  return compared.variants.map(({ finalLoss }) => finalLoss?.step ?? null);
}

Deno.test("final losses are at a step that does not depend on the warm-up", () => {
  for (const warmUp of [3, 8, 20]) assert.deepEqual(finalSteps({ baseline: warmUp + 10, sink: 40 }), [12, 12]);
  assert.deepEqual(finalSteps({ baseline: 20, sink: 40 }, { ...MEASURE, rounds: 4, processes: 3 }), [12, 12]);
  assert.deepEqual(finalSteps({ baseline: 60, sink: 60 }, { ...MEASURE, precision: 0.05 }), [42, 42]);
});

Deno.test("where steps are missing, final losses are at the last step that all variants have", () => {
  assert.deepEqual(finalSteps({ baseline: 7, sink: 9 }), [6, 6]);
  assert.deepEqual(finalSteps({ baseline: 13, sink: 2 }, MEASURE, { status: "failed" }), [12, null]);
  const every3 = Array.from({ length: 13 }, (_, step) => step % 3 === 0 ? 1 : null);
  assert.deepEqual(finalSteps({ baseline: 13, sink: 13 }, MEASURE, { losses: [...every3.slice(0, 12), null] }), [9, 9]);
  assert.deepEqual(finalSteps({ baseline: 13, sink: 0 }), [12, null]);
});

/** A program of eight rounds that take `wall` ms, with `dispatches` in each of their two steps. */
function program(name: string, wall: number, dispatches: number, config: object = {}): VariantResult {
  const blocks = Array.from({ length: 8 }, (_, round): Block => {
    const work = { dispatches: 2 * dispatches, renderPasses: 0, uploadBytes: 0, marks: 0 };
    const step = { index: 0, batchCost: wall / 2, readerCost: null, stepTime: null, iterationGap: null, loss: null };
    const steps = [0, 1].map((i) => ({ ...step, ...toByPhase<number>([]), index: 2 * round + i }));
    return { round, position: 0, samples: 2, wall: wall + (round % 3) / 100, steps, work };
  });
  const settings = { mode: "program", data: { unit: "steps" }, program: { steps: "auto", env: {} }, ...config };
  return variant(name, { blocks, losses: [], config: settings });
}

function verdictOf(a: VariantResult, b: VariantResult, rounds = 8) {
  const scenario = resolveScenario({ name: "programs", programs: { a: COMMAND, b: COMMAND } });
  const { variants } = compareVariants({ ...scenario, tolerance: () => null }, [a, b], rounds, null);
  return variants[1]!.verdict;
}

Deno.test("programs whose steps hold other work are invalid, unless settings say what a step holds", () => {
  const pair = (config: object) => verdictOf(program("a", 10, 1, config), program("b", 20, 10, config));
  assert.equal(verdictOf(program("a", 10, 1), program("b", 20, 1)), "slower");
  assert.equal(pair({}), "invalid");
  assert.equal(pair({ data: { unit: "images" } }), "slower");
});

Deno.test("versions of a program may hold other work where a rule says how their steps end", () => {
  const version = (steps: string) => ({ program: { steps, env: { TACHO_VERSION: "1" } } });
  const pair = (config: object) => verdictOf(program("a", 10, 1, config), program("b", 20, 10, config));
  assert.equal(pair(version("mark")), "slower");
  assert.equal(pair(version("auto")), "invalid");
  assert.equal(pair({ program: { steps: "mark", env: {} } }), "invalid");
});

Deno.test("the complete rounds of a program that fails give a verdict", () => {
  const failed = { status: "failed", error: { message: "it ended", exitStatus: 2 } } as const;
  const [a, b] = [program("a", 10, 1), { ...program("b", 20, 1), ...failed }];
  assert.equal(verdictOf(a, b, 7), "slower");
  assert.equal(verdictOf(a, { ...b, blocks: [] }), null);
  assert.equal(verdictOf(a, { ...b, config: variant("b").config }), null, "a variant that fails is not judged");
});

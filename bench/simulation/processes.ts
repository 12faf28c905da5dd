import type { Machine } from "./machines.ts";
import { mean, percent, table } from "./markdown.ts";
import { OFFSETS } from "./offsets.ts";
import { ratesOf } from "./rates.ts";

/** Default of a scenario. */
const MIN_EFFECT = 0.01;

const VARIANTS = [1, 4, 6];
const ROUNDS = 12;
/** Values of `measure.processes`. */
const PROCESSES = [2, 3, 4, 6];
const EFFECTS = [0.1, 0.5];
/** Rate of false verdicts above which a machine is drawn again, with this many times as many experiments. */
const ACCEPTED = 0.05;
const REDRAWN = 5;

/**
 * Returns a table of equals that run in fresh processes (`measure.processes`), each of which has an offset, on machines with
 * every other noise; and the largest rate of false verdicts.
 */
export function processTable(machines: readonly Machine[], experiments: number): { text: string; worst: number } {
  let worst = 0;
  const above: string[] = [];
  const rows = Object.entries(OFFSETS).flatMap(([kind, offsets]) =>
    PROCESSES.map((processes) => [
      kind,
      String(processes),
      ...VARIANTS.map((variants) => {
        const outcomes = machines.map((machine) => {
          const rates = (effect: number, count: number, seed = 0) => {
            const effects = [effect, ...new Array<number>(variants - 1).fill(0)];
            const setup = { machine: { ...machine, offsets }, rounds: ROUNDS, effects, minEffect: MIN_EFFECT };
            return ratesOf({ ...setup, controlArm: true, roundsPerSetup: ROUNDS / processes }, count, seed);
          };
          const { called, covered } = rates(0, experiments);
          if (called > ACCEPTED) {
            const again = percent(rates(0, REDRAWN * experiments, experiments).called);
            above.push(`- ${percent(called)} %, again ${again} %: ${machine.name}, ${kind}, ${variants}, ${processes}`);
          }
          return { called, covered, found: EFFECTS.map((of) => rates(of, Math.ceil(experiments / 4)).faster) };
        });
        const called = outcomes.map(({ called }) => called);
        worst = Math.max(worst, ...called);
        const found = EFFECTS.map((_, i) => percent(mean(outcomes.map(({ found }) => found[i]!))));
        return [
          `${percent(mean(called))} (${percent(Math.max(...called))})`,
          percent(mean(outcomes.map(({ covered }) => covered))),
          ...found,
        ].join(" / ");
      }),
    ])
  );
  const effects = EFFECTS.map(percent).join(" and ");
  const head = ["offsets", "processes", ...VARIANTS.map((count) => `${count} variant${count === 1 ? "" : "s"}`)];
  return {
    text: `${ROUNDS} rounds in fresh processes with offsets, on ${machines.length} machines: matrices of equals with ` +
      `a variant called faster or slower (most of a machine) / coverage / effects of ${effects} % called faster; ` +
      `means in %.\n\n${table(head, rows)}\n\nMachines with more than ${percent(ACCEPTED)} %, and again with other ` +
      `seeds and ${REDRAWN} times as many experiments: ${above.length}\n\n${above.join("\n")}`,
    worst,
  };
}

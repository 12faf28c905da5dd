import type { Machine } from "./machines.ts";
import { percent, ranged, table } from "./markdown.ts";
import { ratesOf } from "./rates.ts";

/** Default of a scenario. */
const MIN_EFFECT = 0.01;

/** Standard deviation of the offset that an arm has in each process. */
const SIGMAS = [0.01, 0.03];

const VARIANTS = [1, 4];
const ROUNDS = 12;
/** Values of `measure.processes`; null: one process for the whole run. */
const PROCESSES = [null, 2, 4, 6, 12];
const EFFECT = 0.1;
/** Rate of false verdicts above which a machine is drawn again, with this many times as many experiments. */
const ACCEPTED = 0.05;
const REDRAWN = 5;

/**
 * Returns a table of equals that run in fresh processes (`measure.processes`), each of which has an offset, on machines with
 * every other noise; and the largest rate of false verdicts with several processes.
 */
export function processTable(machines: readonly Machine[], experiments: number): { text: string; worst: number } {
  let worst = 0;
  const above: string[] = [];
  const rows = SIGMAS.flatMap((sigma) =>
    VARIANTS.flatMap((variants) =>
      PROCESSES.map((processes) => {
        const outcomes = machines.map((machine) => {
          const rates = (effect: number, count: number, seed = 0) => {
            const effects = [effect, ...new Array<number>(variants - 1).fill(0)];
            const setup = { machine: { ...machine, offsets: sigma }, rounds: ROUNDS, effects, minEffect: MIN_EFFECT };
            return ratesOf({ ...setup, controlArm: true, roundsPerSetup: ROUNDS / (processes ?? 1) }, count, seed);
          };
          const { called, covered } = rates(0, experiments);
          if (processes !== null && called > ACCEPTED) {
            const of = `${variants} ${variants === 1 ? "variant" : "variants"}, ${processes} processes`;
            const again = percent(rates(0, REDRAWN * experiments, experiments).called);
            above.push(`- ${percent(called)} %, again ${again} %: ${machine.name}, σ ${percent(sigma)} %, ${of}`);
          }
          return { called, covered, found: rates(EFFECT, Math.ceil(experiments / 4)).faster };
        });
        if (processes !== null) worst = Math.max(worst, ...outcomes.map(({ called }) => called));
        return [
          percent(sigma),
          String(variants),
          processes === null ? "1" : String(processes),
          ranged(outcomes.map(({ called }) => called)),
          ranged(outcomes.map(({ covered }) => covered)),
          ranged(outcomes.map(({ found }) => found)),
        ];
      })
    )
  );
  const head = ["σ", "variants", "processes", "false faster or slower", "coverage", `found at ${percent(EFFECT)} %`];
  return {
    text: `${ROUNDS} rounds in fresh processes whose offsets have a standard deviation of σ, on ${machines.length} ` +
      `machines: matrices of equals with a variant called faster or slower, coverage, and an effect of ` +
      `${percent(EFFECT)} % called faster; mean and range in %.\n\n${table(head, rows)}\n\n` +
      `Machines with more than ${percent(ACCEPTED)} %, and again with other seeds and ${REDRAWN} times as many ` +
      `experiments: ${above.length}\n\n${above.join("\n")}`,
    worst,
  };
}

import { unlikeCopies } from "./machines.ts";
import { percent, table } from "./markdown.ts";
import { ratesOf } from "./rates.ts";

/** Default of a scenario. */
const MIN_EFFECT = 0.01;

const SIGMAS = [0.01, 0.02];
const VARIANTS = [1, 4, 8];
const ROUNDS = [8, 12, 20, 40];
/** Rounds of each set-up; null: a single set-up. */
const SIZES = [null, 4, 2, 1];

function titleOf(size: number | null): string {
  return size === null ? "one set-up" : size === 1 ? "each round" : `every ${size} rounds`;
}

/** Rates of equals whose set-ups differ by `sigma`, and of a first variant that is faster by `effect`. */
function ratesAt(
  { sigma, noise, variants, rounds, size, effect = 0 }: {
    sigma: number;
    noise: number;
    variants: number;
    rounds: number;
    size: number | null;
    effect?: number;
  },
  experiments: number,
) {
  const effects = [effect, ...new Array<number>(variants - 1).fill(0)];
  const base = { machine: unlikeCopies(noise, sigma), rounds, effects, minEffect: MIN_EFFECT, controlArm: true };
  return ratesOf(size === null ? base : { ...base, roundsPerSetup: size }, experiments);
}

/** Returns tables of set-ups that differ, and the largest rate of false verdicts with several set-ups. */
export function setupTables(experiments: number): { text: string; worst: number } {
  let worst = 0;
  const rows = SIGMAS.flatMap((sigma) =>
    VARIANTS.flatMap((variants) =>
      ROUNDS.map((rounds) => [
        percent(sigma),
        String(variants),
        String(rounds),
        ...SIZES.map((size) => {
          const { called, covered } = ratesAt({ sigma, noise: 0.01, variants, rounds, size }, experiments);
          if (size !== null) worst = Math.max(worst, called);
          return `${percent(called)} / ${percent(covered)}`;
        }),
      ])
    )
  );
  const found = [0.01, 0.03].map((noise) => [
    percent(noise),
    ...SIZES.map((size) =>
      percent(ratesAt({ sigma: 0.01, noise, variants: 4, rounds: 12, size, effect: 0.1 }, experiments).faster)
    ),
  ]);
  const sizes = SIZES.map(titleOf);
  const text =
    "Set-ups that differ by σ, noise of 1 %, by how often arms are set up: matrices of equals with a variant " +
    `called faster or slower / coverage, in %.\n\n${
      table(["σ", "variants", "rounds", ...sizes], rows)
    }\n\nAn effect of 10 % that is found: 4 variants, 12 rounds, σ of 1 %.\n\n${table(["noise", ...sizes], found)}`;
  return { text, worst };
}

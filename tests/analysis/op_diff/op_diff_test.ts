import type { AttachResult } from "../../../runtime/result/attach_result.ts";
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { RandomStream } from "../../../runtime/core/random.ts";
import { isChanged, opDiff } from "../../../runtime/analysis/op_diff/op_diff.ts";
import { programSide, variantSide } from "../../../runtime/analysis/op_diff/side.ts";
import type { DiffSide } from "../../../runtime/analysis/op_diff/side.ts";
import { op, profiled } from "../../report/profile_fixture.ts";
import { full } from "../../support/full.ts";

const OPS = 30;
const ROUNDS = 16;
const TRIALS = full ? 40 : 20;

/** Noise of a simulated machine, on the scale of logs. */
interface Machine {
  /** Noise of each op in each round. */
  readonly op: number;
  /** Shared by all ops of a round; other load in bursts. */
  readonly round: number;
  /** Noise of each op between two runs. */
  readonly run: number;
  /** Shared by all ops of a run. */
  readonly drift: number;
  /** Distance of the two speeds of each op. */
  readonly modes?: number;
  /** Rounds for which a speed lasts; with 1, each step has its own. */
  readonly stays?: number;
  /** Offset of two ops of each set-up. Variants of a run are set up anew every fourth round. */
  readonly setup?: number;
}

const MACHINES: Readonly<Record<string, Machine>> = {
  quiet: { op: 0.02, round: 0.01, run: 0, drift: 0 },
  loaded: { op: 0.1, round: 0.6, run: 0, drift: 0.3 },
  "drifts between runs": { op: 0.03, round: 0.05, run: 0.05, drift: 0.4 },
  "ops with two speeds": { op: 0.05, round: 0.05, run: 0.02, drift: 0.2, modes: 0.3 },
  "ops whose speeds last": { op: 0.05, round: 0.05, run: 0.05, drift: 0.2, modes: 0.3, stays: 6 },
  "set-ups that shift two ops": { op: 0.05, round: 0.05, run: 0.05, drift: 0.2, setup: 0.1 },
};

/**
 * Simulates two variants; op 7 of the second takes `factor` times as long. Every tenth step of an op stalls.
 *
 * @param turns both run in one process and see the same machine in each round
 */
function simulated(machine: Machine, turns: boolean, factor: number, seed: number): [DiffSide, DiffSide] {
  const random = new RandomStream(seed, 77);
  const { modes = 0, stays = 1, setup = 0 } = machine;
  const draw = (sigma: number) => sigma * random.normal();
  const loads = () => Array.from({ length: ROUNDS }, () => draw(machine.round));
  const speeds = () =>
    Array.from({ length: OPS }, () => {
      let fast = random.below(2) === 0;
      return Array.from({ length: ROUNDS }, () => {
        if (random.below(2 * stays) < 2) fast = stays === 1 ? random.below(2) === 0 : !fast;
        return fast ? 0 : modes;
      });
    });
  const shared = { load: loads(), speed: speeds() };
  const side = (label: string, slow: number): DiffSide => {
    const drift = turns ? 0 : draw(machine.drift);
    const load = turns ? shared.load : loads();
    const speed = turns && stays > 1 ? shared.speed : speeds();
    const shift = Array.from({ length: ROUNDS / 4 }, () => {
      const [one, other, by] = [random.below(OPS), random.below(OPS), draw(setup)];
      return (op: number) => op === one || op === other ? by : 0;
    });
    return {
      label,
      step: 100,
      rounds: turns ? "run" : label,
      items: Array.from({ length: OPS }, (_, i) => {
        const own = Math.log(0.05 + i % 9) + (i === 7 ? Math.log(slow) : 0) + drift + (turns ? 0 : draw(machine.run)) +
          (turns ? 0 : shift[0]!(i));
        const samples = load.map((common, round) => {
          const stall = random.below(10) === 0 ? Math.abs(draw(5 * machine.op)) : 0;
          return Math.exp(
            own + common + speed[i]![round]! + (turns ? shift[round >> 2]!(i) : 0) + draw(machine.op) + stall,
          );
        });
        const sorted = samples.toSorted((a, b) => a - b);
        const median = (sorted[ROUNDS / 2 - 1]! + sorted[ROUNDS / 2]!) / 2;
        return {
          key: `op${i}`,
          name: `op${i}`,
          phase: "forward",
          kernel: `kernel${i % 5}`,
          work: `${i}`,
          median,
          samples,
        };
      }),
    };
  };
  return [side("a", 1), side("b", factor)];
}

for (const [name, machine] of Object.entries(MACHINES)) {
  for (const turns of [true, false]) {
    const where = `${name}, ${turns ? "two variants of a run" : "two runs"}`;
    Deno.test(`${where}: in 19 of 20 differences, no op of equal variants changes, and a slow op comes first`, () => {
      let [clean, first] = [0, 0];
      for (let seed = 0; seed < TRIALS; seed++) {
        const equal = opDiff(...simulated(machine, turns, 1, seed));
        if (!equal.rows.some(isChanged)) clean++;
        const planted = opDiff(...simulated(machine, turns, turns ? 3 : 4, seed));
        const [top] = planted.rows;
        if (top!.name === "op7" && top!.verdict === "slower") first++;
      }
      ok(clean >= 0.95 * TRIALS, `${clean} of ${TRIALS} without a change`);
      // Where the speeds of ops differ between two processes, a factor of 4 is no certain finding
      if (turns || (machine.modes ?? 0) === 0) {
        ok(first >= 0.95 * TRIALS, `${first} of ${TRIALS} with the slow op first`);
      }
    });
  }
}

/** A machine whose processes repeat the time of an op within 1 %, as a quiet one does. */
const STEADY: Machine = { op: 0.02, round: 0.02, run: 0.01, drift: 0.02 };

/** Returns a side in whose process the steps of one op took longer, for no cause. */
function odd(side: DiffSide, op: number, factor: number): DiffSide {
  const items = side.items.map((item, i) => {
    if (i !== op) return item;
    return { ...item, median: item.median! * factor, samples: item.samples.map((ms) => ms! * factor) };
  });
  return { ...side, items };
}

Deno.test("between two runs, a process in which one op takes up to 1.4 times as long is no change, and twice as long is one", () => {
  let [clean, found, inTurns] = [0, 0, 0];
  for (let seed = 0; seed < TRIALS; seed++) {
    const [a, b] = simulated(STEADY, false, 1, seed);
    const [op, factor] = [seed % OPS, 1.2 + 0.2 * (seed % 11) / 10];
    if (![opDiff(a, odd(b, op, factor)), opDiff(odd(a, op, factor), b)].some(({ rows }) => rows.some(isChanged))) {
      clean++;
    }
    const [top] = opDiff(a, odd(b, op, 2)).rows;
    if (top!.name === `op${op}` && top!.verdict === "slower") found++;
    const [before, after] = simulated(STEADY, true, 1, seed);
    const [slower] = opDiff(before, odd(after, op, factor)).rows;
    if (slower!.name === `op${op}` && slower!.verdict === "slower") inTurns++;
  }
  ok(clean >= 0.95 * TRIALS, `${clean} of ${TRIALS} without a change`);
  ok(found >= 0.95 * TRIALS, `${found} of ${TRIALS} with the slow op first`);
  ok(inTurns >= 0.95 * TRIALS, `${inTurns} of ${TRIALS} found within a run`);
});

/** A variant whose ops were timed in eight rounds. */
function timed(name: string, times: Readonly<Record<string, number>>, kernel = "conv.a") {
  const wave = [0, 1, -1, 2, -2, 1, -1, 0];
  const ops = Object.entries(times).map(([id, ms]) => {
    const made = op(id, "conv2d", ms, { kernel });
    const samples = wave.map((part) => ms * (1 + 0.001 * part));
    return { ...made, kernels: made.kernels.map((one) => ({ ...one, samples })) };
  });
  return profiled(name, { ops });
}

Deno.test("ops are matched by phase and ID; those of one side are new or gone, and the sums reconcile with the step", () => {
  const [a, b] = [timed("a", { one: 2, two: 3, old: 1 }), timed("b", { one: 2, two: 6, fresh: 0.5 }, "conv.b")];
  const diff = opDiff(variantSide("a", a, "op", "run"), variantSide("b", b, "op", "run"));
  const rows = Object.fromEntries(diff.rows.map((row) => [row.name, row]));
  deepStrictEqual(diff.rows.map(({ name, verdict }) => [name, verdict]), [
    ["two", "slower"],
    ["old", "gone"],
    ["fresh", "new"],
    ["one", "same"],
  ]);
  deepStrictEqual(rows["two"]!.kernels, ["conv.a", "conv.b"]);
  const { low, high } = rows["two"]!.interval!;
  ok(low <= 3 && high >= 3 && low > 2.9 && high < 3.1, `${low} to ${high}`);
  deepStrictEqual([rows["old"]!.change, rows["fresh"]!.change], [-1, 0.5]);
  const [all, rest, step] = diff.sums;
  ok(Math.abs(all!.change - diff.rows.reduce((sum, { change }) => sum + change!, 0)) < 1e-9);
  ok(Math.abs(all!.change + rest!.change - step!.change) < 1e-9);
  strictEqual(step!.a, a.metrics.batchCost!.value);
  strictEqual(diff.machine, null, "two ops cannot show how the machine changed");
});

Deno.test("by kernel, the dispatches of a kernel are summed", () => {
  const [a, b] = [timed("a", { one: 2, two: 3 }), timed("b", { one: 2, two: 4 })];
  const { rows } = opDiff(variantSide("a", a, "kernel", "run"), variantSide("b", b, "kernel", "run"));
  deepStrictEqual(rows.map(({ name, a, b, verdict }) => [name, a, b, verdict]), [["conv.a", 5, 6, "slower"]]);
});

Deno.test("without times of rounds, ops are listed without a test", () => {
  const [a, b] = [profiled("a"), profiled("b")];
  const { rows } = opDiff(variantSide("a", a, "op", "run"), variantSide("b", b, "op", "run"));
  ok(rows.every(({ verdict, interval, change }) => verdict === "unknown" && interval === null && change === 0));
});

Deno.test("kernels of programs are matched by name, whatever their code", () => {
  const program = (hash: string, factor: number): AttachResult => {
    const kernel = (label: string, ms: number) => ({
      ...{
        name: `${label} #${hash}`,
        label,
        entryPoint: "main",
        hash,
        does: "",
        line: null,
        dispatches: 10,
        calls: 10,
      },
      ...{ perStep: 1, timedBy: "pass", total: 10 * ms, median: ms, share: 0.5, boundGBs: null, grids: [] },
      samples: [0, 1, -1, 2, -2, 1, -1, 0].map((part) => ms * (1 + 0.001 * part)),
    } as const);
    const device = {
      steadySteps: 10,
      untimedWall: 10 * factor,
      kernels: [kernel("relu", factor), kernel("matmul", 4)],
    };
    return {
      kind: "attach",
      schemaVersion: 1,
      devices: [device],
      complete: true,
      notes: [],
    } as unknown as AttachResult;
  };
  const { rows, sums } = opDiff(programSide("a", program("01", 1)), programSide("b", program("02", 4)));
  deepStrictEqual(rows.map(({ name, verdict, kernels }) => [name, verdict, kernels]), [
    ["relu", "slower", ["#01", "#02"]],
    ["matmul", "same", ["#01", "#02"]],
  ]);
  deepStrictEqual(sums.map(({ change }) => Math.round(change)), [3, 27, 30]);
});

/** Tests of rounds, statistics and results with arms that are functions, without a device. */
import assert from "node:assert/strict";
import { TachoError } from "../../runtime/core/errors.ts";
import type { Arm, ArmRecord } from "../../runtime/experiment/arm.ts";
import { Attempts } from "../../runtime/experiment/attempts.ts";
import { measureArms } from "../../runtime/experiment/measure_arms.ts";
import { EnergyMeter } from "../../runtime/record/energy/energy_meter.ts";
import { energySentence, energyTable } from "../../runtime/report/outcome/energy.ts";
import { composeResult } from "../../runtime/experiment/result.ts";
import { roundOrder } from "../../runtime/experiment/rounds/order.ts";
import { RunProgress } from "../../runtime/experiment/run_progress.ts";
import type { Emit, RunEvent } from "../../runtime/result/run_event.ts";
import { type Block, type Loss, resultSchema } from "../../runtime/result/schema.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { variant } from "../report/result_fixture.ts";
import { loaderOnly } from "./running.ts";

/** Arm that calls a function, which returns the time of a step in ms, so that verdicts do not depend on the machine. */
class FunctionArm implements Arm {
  readonly unitOfRate = "calls/s";
  readonly unit = 1;
  readonly stateful = false;
  readonly blocks: Block[] = [];
  readonly losses: (Loss | null)[] = [];
  failure: Error | null = null;
  interrupted = false;
  closed = 0;
  #prepared = false;

  readonly name: string;
  readonly step: (index: number) => number;

  constructor(name: string, step: (index: number) => number) {
    this.name = name;
    this.step = step;
  }

  get running(): boolean {
    return this.failure === null && !this.interrupted;
  }

  get steps(): number {
    return this.losses.length;
  }

  fail(error: unknown): void {
    this.failure = error as Error;
  }

  interrupt(): void {
    this.interrupted = true;
  }

  prepare(): Promise<void> {
    this.#prepared = true;
    return Promise.resolve();
  }

  #call(): number {
    assert(this.#prepared && this.running && this.closed === 0);
    const ms = this.step(this.steps);
    this.losses.push(null);
    return ms;
  }

  warmUp(steps: number): Promise<{ wall: number }> {
    let wall = 0;
    for (let i = 0; i < steps; i++) wall += this.#call();
    return Promise.resolve({ wall });
  }

  endWarmUp(): void {}

  block(...[place, count, { onStep }]: Parameters<Arm["block"]>): ReturnType<Arm["block"]> {
    const rest = { readerCost: null, stepTime: null, iterationGap: null, forward: null, backward: null, update: null };
    const steps = Array.from({ length: count }, (_, i) => {
      const step = { ...rest, index: this.steps, batchCost: this.#call(), loss: null };
      onStep(i + 1);
      return step;
    });
    const block = { ...place, samples: count, wall: steps.reduce((sum, { batchCost }) => sum + batchCost, 0), steps };
    this.blocks.push(block);
    const host = { runtimeWait: 0, counts: {}, letData: [], hostQueue: [], deviceQueue: [] };
    return Promise.resolve({ block, host });
  }

  skip(): void {}

  restoreBlock(): void {}

  record(): ArmRecord {
    const status = this.failure === null ? this.interrupted ? "interrupted" : "ok" : "failed";
    const error = this.failure && { message: this.failure.message, exitStatus: 1 };
    const { name, blocks, losses } = this;
    return {
      variant: variant(name, { status, error, blocks, losses }),
      timeline: null,
      ablations: null,
      data: null,
    };
  }

  close(): Promise<void> {
    this.closed++;
    return Promise.resolve();
  }
}

const SEED = 5;

/** Measures arms; the first is the baseline, the last the control arm. */
async function measure(
  arms: readonly Arm[],
  stop: () => boolean = () => false,
  emit: Emit = () => {},
  openEnergy: () => EnergyMeter | string = () => "none",
) {
  const { measure: terms } = resolveScenario(loaderOnly());
  const schedule = { skip: 2, maxSkip: 2, steps: 4, rounds: 8, epochs: false };
  const controlArm = arms.at(-1)!;
  const measured = await measureArms({
    arms,
    baseline: arms[0]!.name,
    controlArm,
    schedule,
    rules: { rounds: schedule.rounds, precision: null, maxTime: null },
    seed: SEED,
    device: null,
    attempts: new Attempts(arms, null, stop, emit),
    progress: new RunProgress(emit, { arms: 1, steps: 1 }),
    emit,
    runRecorder: null,
    profile: null,
    ablations: true,
    openEnergy,
    interrupted: stop,
    kernelsChosen: () => {},
  });
  const result = await composeResult({
    ...measured,
    scenario: {
      ...{ name: "functions", params: {}, seed: SEED, baseline: arms[0]!.name, measure: terms, epochs: null },
      ...{ memoryBudget: null, aliases: [], adapted: null, tolerance: () => null },
      variants: arms.slice(0, -1).map(({ name }) => ({ name, settings: {} })),
    },
    options: { script: { file: null, sha256: null } },
    adapter: null,
    arms: arms.slice(0, -1),
    controlArm,
    peaks: () => Promise.resolve(null),
  });
  return resultSchema.parse(result);
}

/** Returns a step time of `ms` to 1.02 times `ms`. */
const about = (ms: number) => (index: number) => ms * (1 + 0.01 * (1 + Math.sin(index * index)));

Deno.test("functions are compared by the same rounds and verdicts as variants", async () => {
  const arms = Object.entries({ base: 10, fast: 5, slow: 20, "base#2": 10 })
    .map(([name, ms]) => new FunctionArm(name, about(ms)));
  const { variants, procedure, noiseFloor } = await measure(arms);
  assert.deepEqual(variants.map(({ name, verdict }) => [name, verdict]), [
    ["base", null],
    ["fast", "faster"],
    ["slow", "slower"],
  ]);
  const { speedup, pairs } = variants[1]!.comparison!;
  assert.equal(pairs, 8);
  assert.ok(speedup.low! < 2.02 && speedup.high! > 1.98 && speedup.high! < 2.1, Deno.inspect(speedup));
  assert.ok(noiseFloor! < 0.02);
  assert.deepEqual(
    procedure!.order,
    Array.from({ length: 8 }, (_, round) => roundOrder(4, SEED, round).map((index) => arms[index]!.name)),
  );
  assert.deepEqual(procedure!.warmUp.map(({ arm, steps }) => [arm, steps]), arms.map(({ name }) => [name, 2]));
  assert.deepEqual([procedure!.rounds, procedure!.stoppedBy, procedure!.probe], [8, "rounds", []]);
  assert.equal(procedure!.secondArm!.name, "base#2");
});

/** An arm with every capability, which notes its calls. */
class CapableArm extends FunctionArm {
  readonly calls: string[] = [];
  readonly #note = (call: string) => () => Promise.resolve(void this.calls.push(call));
  readonly kernels = {
    reserve: this.#note("reserve"),
    compile: this.#note("compile"),
    compileOnly: this.#note("compile only"),
    relocate: this.#note("set up again"),
  };
  readonly process = { renew: this.#note("renew"), release: this.#note("release") };
  readonly evaluation = { every: 1, run: this.#note("evaluate") };
  readonly profiling = { always: true, setUp: this.#note("set up profile"), run: this.#note("profile") };
  readonly opTiming = { error: null, time: this.#note("time ops") };
  readonly ablation = { run: (seed: number) => this.#note(`ablate ${seed}`)() };
}

Deno.test("capabilities of arms are used in order, beside arms without any; the control arm is not examined", async () => {
  const arms = [
    new FunctionArm("base", about(10)),
    new CapableArm("capable", about(10)),
    new CapableArm("base#2", about(10)),
  ] as const;
  const { variants } = await measure(arms);
  assert.deepEqual(variants.map(({ status }) => status), ["ok", "ok"]);
  const always = ["reserve", "reserve", "compile", "release", "evaluate"];
  assert.deepEqual(arms[1].calls, [...always, "profile", `ablate ${SEED}`]);
  assert.deepEqual(arms[2].calls, always);
});

Deno.test("a failed arm does not end the others", async () => {
  const broken = new FunctionArm("broken", (index) => {
    if (index === 10) throw new TachoError("out of order", 1);
    return 10;
  });
  const arms = [new FunctionArm("base", about(10)), broken, new FunctionArm("base#2", about(10))];
  const events: RunEvent[] = [];
  const { variants, procedure } = await measure(arms, undefined, (event) => void events.push(event));
  assert.deepEqual(variants.map(({ status, blocks }) => [status, blocks.length]), [["ok", 8], ["failed", 2]]);
  assert.deepEqual([variants[1]!.verdict, variants[1]!.error!.message], [null, "out of order"]);
  assert.deepEqual(procedure!.order.slice(3).map((order) => order.toSorted()), Array(5).fill(["base", "base#2"]));
  const telling = events.filter(({ type }) => type !== "progress");
  assert.deepEqual(
    telling.map(({ type }) => type),
    [..."rr", "f", ..."rrrrrr"].map((c) => c === "r" ? "round" : "failure"),
  );
  assert.deepEqual(telling[2], { type: "failure", arm: "broken", message: "out of order", exitStatus: 1 });
});

Deno.test("an interrupted round is not compared", async () => {
  let calls = 0;
  const counted = (index: number) => {
    calls++;
    return about(10)(index);
  };
  const arms = ["base", "other", "base#2"].map((name) => new FunctionArm(name, counted));
  // 6 steps of warm-up, 12 steps a round
  const events: RunEvent[] = [];
  const stop = () => calls >= 6 + 2 * 12 + 4;
  const { variants, procedure } = await measure(arms, stop, (event) => void events.push(event));
  assert.deepEqual([procedure!.rounds, procedure!.stoppedBy, procedure!.order.length], [2, "interrupted", 2]);
  assert.ok(variants.some(({ status }) => status === "interrupted"));
  assert.equal(variants[1]!.comparison!.pairs, 2);
  const types = events.map(({ type }) => type).filter((type) => type !== "progress");
  assert.deepEqual(types, ["round", "round", "interrupted"]);
});

Deno.test("blocks have the energy that is counted meanwhile, and the run its idle power or a reason", async () => {
  let joules = 0;
  const arms = Object.entries({ base: 2, hungry: 6, "base#2": 2 }).map(([name, used]) =>
    new FunctionArm(name, (index) => {
      joules += used;
      return about(10)(index);
    })
  );
  const meter = () => new EnergyMeter([{ name: "package-0", joules: () => joules }]);
  const result = await measure(arms, undefined, undefined, meter);
  assert.deepEqual(result.variants.map(({ blocks }) => blocks.map(({ energy }) => energy)), [
    Array(8).fill(8),
    Array(8).fill(24),
  ]);
  assert.deepEqual(result.procedure!.energy, { sources: ["package-0"], idle: 0, reason: null });
  const { columns, rows, notes } = energyTable(result);
  const values = rows.map((row) => columns.map(({ value }) => value(row)));
  assert.deepEqual(values.map(([name, perStep, perSample]) => [name, perStep, perSample]), [
    ["base", 2, 2],
    ["hungry", 6, 6],
  ]);
  assert.ok(Math.abs(values[0]![3] as number - 200) < 5, "2 J in 10 ms");
  assert.match(notes![0]!, /^counted by package-0: all work of the machine, .*; 0\.00 W while idle/);
  assert.equal(energySentence(result), null);

  const others = ["base", "base#2"].map((name) => new FunctionArm(name, about(10)));
  const some = await measure(
    others,
    undefined,
    undefined,
    () => new EnergyMeter([{ name: "package-0", joules: () => joules }], ["RAPL: package-1 cannot be read"]),
  );
  assert.equal(energyTable(some).notes!.length, 1);
  assert.match(energySentence(some)!, /^energy: not every counter can be read;/);

  const without = await measure(["base", "base#2"].map((name) => new FunctionArm(name, about(10))));
  assert.equal(without.variants[0]!.blocks[0]!.energy, undefined);
  assert.equal(energySentence(without), "energy: –, no counter can be read; procedure.energy in the result says why");
  assert.equal(energyTable(without).rows.length, 0);
});

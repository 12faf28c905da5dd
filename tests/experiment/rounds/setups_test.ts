import assert from "node:assert/strict";
import { Device } from "../../../runtime/device/device.ts";
import { SlotPool } from "../../../runtime/engine/slot_pool.ts";
import type { Arm } from "../../../runtime/experiment/arm.ts";
import { earlierSetups, Setups, type SetupsOptions } from "../../../runtime/experiment/rounds/setups.ts";
import type { Block } from "../../../runtime/result/schema.ts";
import { adam, dropout, linear, sequential } from "../../../mod.ts";
import { runScenario, tiny } from "../running.ts";

/** The parts of an arm that set-ups use. */
function armOf(relocate: () => Promise<void>, running = true): Arm {
  const none = () => Promise.resolve();
  const kernels = { reserve: () => {}, compile: none, compileOnly: none, relocate };
  return { running, kernels } as Partial<Arm> as Arm;
}

/** Rounds before which arms are set up again, where each takes `round` ms and each set-up `cost` ms. */
async function schedule(
  { rounds, round, cost, earlier = 0, ...options }:
    & { rounds: number; round: number; cost: number; earlier?: number }
    & Partial<SetupsOptions>,
): Promise<{ before: number[]; setups: Setups }> {
  const device = await Device.open();
  let now = 0;
  const arm = armOf(() => Promise.resolve(void (now += cost / 2)));
  const setups = new Setups({
    ...{ arms: [arm, arm], device, slots: new SlotPool(device), seed: 1, setups: null, rounds, earlier },
    ...{ began: 0, now: () => now, attempt: async (_arm: Arm, work: () => Promise<unknown>) => void await work() },
    ...options,
  });
  const before: number[] = [];
  now += round;
  for (let i = 1; i < rounds; i++, now += round) {
    const last = setups.current;
    await setups.before(i, round);
    if (setups.current > last) before.push(i);
  }
  device.destroy();
  return { before, setups };
}

Deno.test("arms are set up again before each round where that takes little time", async () => {
  const { before, setups } = await schedule({ rounds: 8, round: 1000, cost: 100 });
  assert.deepEqual(before, [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(setups.outcome, { count: 8, time: 700, share: 700 / 8700 });
});

Deno.test("set-ups that take long are rarer, evenly over the run, and stay under 15 % of its time", async () => {
  const { before, setups } = await schedule({ rounds: 40, round: 1000, cost: 500 });
  assert.ok(before.length >= 9 && setups.outcome.share! <= 0.15, `${before} ${setups.outcome.share}`);
  const gaps = before.slice(2).map((round, i) => round - before[i + 1]!);
  assert.ok(Math.max(...gaps) - Math.min(...gaps) <= 1, `${gaps}`);
});

Deno.test("slow set-ups are four, evenly over the rounds, unless they take more than half of the time", async () => {
  const before = async (cost: number) => (await schedule({ rounds: 8, round: 1000, cost })).before;
  assert.deepEqual(await before(1000), [1, 4, 6]);
  assert.deepEqual(await before(2000), [1, 4, 6]);
  assert.ok((await before(20_000)).length < 3);
});

Deno.test("a given number of set-ups is spread evenly over the rounds", async () => {
  const given = async (setups: number, rounds: number) =>
    (await schedule({ rounds, round: 1, cost: 1000, setups })).before;
  assert.deepEqual(await given(1, 8), []);
  assert.deepEqual(await given(4, 8), [2, 4, 6]);
  assert.deepEqual(await given(3, 8), [3, 6]);
  assert.deepEqual(await given(20, 4), [1, 2, 3]);
});

Deno.test("arms that have ended, a single arm and arms without set-ups keep theirs", async () => {
  const ended = armOf(() => Promise.reject(new Error("has ended")), false);
  const plain = { running: true } as Partial<Arm> as Arm;
  const one = armOf(() => Promise.reject(new Error("is alone")));
  for (const arms of [[ended, ended], [plain, plain], [one]]) {
    const { before, setups } = await schedule({ rounds: 4, round: 1000, cost: 1, arms });
    assert.deepEqual([before, setups.outcome.count], [[], 1]);
  }
});

Deno.test("the number of set-ups continues after an interruption", async () => {
  const block = (setup: number | null): Block => ({
    ...{ round: 0, position: 0, samples: 1, wall: 1, steps: [] },
    ...setup === null ? {} : { setup },
  });
  const host = { runtimeWait: 0, counts: {}, letData: [], hostQueue: [], deviceQueue: [] };
  const rounds = (numbers: readonly (number | null)[]) =>
    numbers.map((setup, round) => ({
      ...{ round, order: ["a"], probe: null },
      blocks: [{ arm: "a", block: block(setup), host }],
    }));
  assert.deepEqual([[], [null, null], [0, 1, 1]].map((numbers) => earlierSetups(rounds(numbers))), [0, 1, 2]);
  const { setups } = await schedule({ rounds: 3, round: 1000, cost: 1, earlier: 2 });
  assert.equal(setups.outcome.count, 5);
});

Deno.test("set-ups change no loss, with and without a sink, and each block names its own", async () => {
  const settings = {
    model: sequential({ fc1: linear(6), drop: dropout(0.3), fc2: linear(3) }),
    optimizer: adam(),
    variants: { baseline: {}, sink: { sink: 2 } },
  };
  const measure = { steps: 2, skip: 2, maxSkip: 2, rounds: 4 };
  const run = async (setups: number) => {
    const { variants, procedure } = await runScenario(tiny({ ...settings, measure: { ...measure, setups } }));
    const blocks = [...variants, procedure!.secondArm!].map(({ blocks }) => blocks);
    return {
      losses: variants.map(({ losses }) => losses),
      status: variants.map(({ error }) => error),
      setups: blocks.map((own) => own.map(({ setup }) => setup)),
      count: procedure!.setups.count,
      spread: procedure!.secondArm!.comparison!.spread,
    };
  };
  const [one, each] = [await run(1), await run(4)];
  assert.deepEqual(each.status, [null, null]);
  assert.deepEqual(each.losses, one.losses);
  assert.deepEqual(one.setups, Array(3).fill([0, 0, 0, 0]));
  assert.deepEqual(each.setups, Array(3).fill([0, 1, 2, 3]));
  assert.deepEqual([one.count, each.count], [1, 4]);
  assert.ok(one.spread.setups === null && one.spread.rounds! > 0);
  assert.ok(each.spread.setups! > 0 && each.spread.rounds === null);
});

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { effectsOf, type FactorialArm } from "../../../runtime/analysis/comparison/effects.ts";
import { effectSchema } from "../../../runtime/result/comparison.ts";
import { blocks } from "./arms.ts";

type Settings = Record<string, string>;

/** The product of axes, each cell with the speed that `speedOf` gives it and the same drift. */
function product(
  axes: Record<string, readonly string[]>,
  speedOf: (of: Settings) => number,
  rounds = 8,
): FactorialArm[] {
  let cells: Settings[] = [{}];
  for (const [setting, levels] of Object.entries(axes)) {
    cells = cells.flatMap((cell) => levels.map((level) => ({ ...cell, [setting]: level })));
  }
  return cells.map((settings, i) => ({
    name: `cell${i}`,
    settings,
    blocks: blocks(Array.from({ length: rounds }, (_, round) => (1000 + 50 * round) / speedOf(settings))),
  }));
}

function named(arms: readonly FactorialArm[]): Record<string, number> {
  return Object.fromEntries(
    effectsOf(arms).map((effect) => {
      effectSchema.parse(effect);
      return [
        effect.factors.map(({ setting, from, to }) => `${setting}=${from}>${to}`).join(" "),
        Number(effect.ratio.value.toFixed(9)),
      ];
    }),
  );
}

const AXES = { amp: ["O0", "O2"], sink: ["0", "10"] };

Deno.test("settings that multiply have no interaction", () => {
  const arms = product(AXES, ({ amp, sink }) => (amp === "O2" ? 2 : 1) * (sink === "10" ? 1.5 : 1));
  deepStrictEqual(named(arms), { "amp=O0>O2": 2, "sink=0>10": 1.5, "amp=O0>O2 sink=0>10": 1 });
});

Deno.test("an interaction is what both bring beyond the two alone", () => {
  const arms = product(AXES, ({ amp, sink }) => amp === "O2" && sink === "10" ? 4 : 1);
  // A main effect is the mean over the other setting: of nothing, and of 4
  deepStrictEqual(named(arms), { "amp=O0>O2": 2, "sink=0>10": 2, "amp=O0>O2 sink=0>10": 4 });
});

Deno.test("every level is held against the first", () => {
  const speed: Settings = { "0": "1", "2": "3", "4": "2" };
  const arms = product({ workers: ["0", "2", "4"], sink: ["0", "10"] }, ({ workers }) => Number(speed[workers!]));
  deepStrictEqual(named(arms), {
    "workers=0>2": 3,
    "workers=0>4": 2,
    "sink=0>10": 1,
    "workers=0>2 sink=0>10": 1,
    "workers=0>4 sink=0>10": 1,
  });
});

Deno.test("three settings together", () => {
  const arms = product(
    { ...AXES, workers: ["0", "2"] },
    ({ amp, sink, workers }) => amp === "O2" && sink === "10" && workers === "2" ? 16 : 1,
  );
  const effects = named(arms);
  strictEqual(Object.keys(effects).length, 7);
  strictEqual(effects["amp=O0>O2 sink=0>10 workers=0>2"], 16);
  strictEqual(effects["amp=O0>O2 sink=0>10"], 4);
  strictEqual(effects["amp=O0>O2"], 2);
});

Deno.test("effects have p and intervals over rounds, corrected together", () => {
  const arms = product(AXES, ({ amp }) => amp === "O2" ? 2 : 1).map((arm, i) => ({
    ...arm,
    blocks: arm.blocks.map((block) => ({ ...block, wall: block.wall * (1 + ((block.round * 7 + i * 5) % 11) / 200) })),
  }));
  const [amp, sink, both] = effectsOf(arms) as [ReturnType<typeof effectsOf>[0], ...ReturnType<typeof effectsOf>];
  strictEqual(amp.p, 2 / 256);
  // Of two main effects
  strictEqual(amp.adjustedP, 4 / 256);
  strictEqual(both!.adjustedP, both!.p);
  ok(amp.ratio.low! > 1.9 && amp.ratio.low! < amp.ratio.value && amp.ratio.high! < 2.1);
  for (const none of [sink!, both!]) ok(none.ratio.low! < 1 && none.ratio.high! > 1 && none.adjustedP! > 0.05);
});

Deno.test("a round that one cell lacks is left out of all", () => {
  const arms = product(AXES, ({ amp }) => amp === "O2" ? 2 : 1);
  const odd = arms.map((arm, i) => ({
    ...arm,
    blocks: arm.blocks
      .filter(({ round }) => round !== i)
      .map((block) => block.round === 7 - i ? { ...block, wall: 0 } : block),
  }));
  deepStrictEqual(named(odd), {});
  const one = arms.map((arm, i) => ({ ...arm, blocks: i === 2 ? arm.blocks.slice(1) : arm.blocks }));
  strictEqual(named(one)["amp=O0>O2"], 2);
  strictEqual(effectsOf(one)[0]!.p, 2 / 128);
});

Deno.test("what is no whole product has no effects", () => {
  const arms = product(AXES, () => 1);
  deepStrictEqual(effectsOf([]), []);
  deepStrictEqual(effectsOf(arms.slice(1)), []);
  deepStrictEqual(effectsOf([...arms, arms[0]!]), []);
  deepStrictEqual(effectsOf([...arms.slice(1), arms[1]!]), []);
  deepStrictEqual(effectsOf([arms[0]!]), []);
  deepStrictEqual(effectsOf(arms.map((arm, i) => i === 3 ? { ...arm, settings: { amp: "O2" } } : arm)), []);
});

Deno.test("settings that are the same in all cells are no axes", () => {
  const arms = product({ batch: ["32"], ...AXES }, () => 1);
  strictEqual(effectsOf(arms).length, 3);
  strictEqual(effectsOf(product({ amp: ["O0", "O1", "O2"] }, () => 1)).length, 2);
});

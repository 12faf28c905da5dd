import assert from "node:assert/strict";
import { RandomStream } from "../../../runtime/core/random.ts";
import { type Candidate, frontOf } from "../../../runtime/analysis/comparison/front.ts";
import { blocks } from "./arms.ts";

/** Small noise by round, the same for every candidate's next round but one. */
const NOISE = [1, 1.002, 0.998, 1.001, 0.999, 1.003, 0.997, 1];

/** A candidate whose blocks take about `wall` ms; `shift` moves its noise. */
function candidate(
  name: string,
  wall: number,
  memory: number | null,
  fields: Partial<Candidate> & { shift?: number } = {},
) {
  const { shift = 0, ...rest } = fields;
  const walls = NOISE.map((_, round) => wall * NOISE[(round + shift) % NOISE.length]!);
  return { name, blocks: blocks(walls), memory, losses: null, ...rest };
}

function statuses(candidates: readonly Candidate[], band = 0.01): Record<string, string> {
  const { variants } = frontOf(candidates, band)!;
  return Object.fromEntries(variants.map(({ name, status, dominatedBy }) => [name, dominatedBy ?? status]));
}

const losses = (...values: number[]) => new Map(values.map((loss, i) => [i + 1, loss]));

Deno.test("a variant is dominated by one that is better on an objective and as good on the others", () => {
  const made = [
    candidate("fast", 80, 300),
    candidate("small", 100, 100, { shift: 1 }),
    candidate("worse", 100, 300, { shift: 2 }),
    candidate("between", 90, 200, { shift: 3 }),
    candidate("equal", 80, 320, { shift: 0 }),
  ];
  assert.deepEqual(statuses(made), { fast: "front", small: "front", worse: "fast", between: "front", equal: "fast" });
  const { objectives, variants } = frontOf(made, 0.01)!;
  assert.deepEqual(objectives, ["speed", "memory"]);
  assert.deepEqual(variants.map(({ best }) => best), [["speed"], ["memory"], [], [], ["speed"]]);
});

Deno.test("a variant is not dominated where the interval leaves open whether it is faster", () => {
  const noisy = [1, 1.3, 0.8, 1.2, 0.7, 1.1, 0.9, 1].map((factor) => 101 * factor);
  const made = [candidate("a", 100, 100), { ...candidate("b", 0, 200), blocks: blocks(noisy) }];
  assert.deepEqual(statuses(made), { a: "front", b: "open" });
  assert.deepEqual(frontOf(made, 0.01)!.variants.map(({ best }) => best), [["speed", "memory"], ["speed"]]);
  const single = made.map((one) => ({ ...one, blocks: one.blocks.slice(0, 1) }));
  assert.deepEqual(statuses(single), { a: "front", b: "open" }, "a round has no interval");
});

Deno.test("speeds within the band are the same, so that memory decides", () => {
  const made = [candidate("a", 100, 100), candidate("b", 99.5, 200, { shift: 0 })];
  assert.deepEqual(statuses(made, 0.02), { a: "front", b: "a" });
  assert.deepEqual(statuses(made, 0), { a: "front", b: "front" });
});

Deno.test("losses are compared by seed, and open differences do not dominate", () => {
  const common = { shift: 0 };
  const a = candidate("a", 100, 100, { ...common, losses: losses(1, 2, 3, 4) });
  const worse = candidate("worse", 100, 100, { ...common, losses: losses(1.1, 2.11, 3.09, 4.1) });
  assert.deepEqual(statuses([a, worse]), { a: "front", worse: "a" }, "the spread between seeds cancels");
  const open = candidate("open", 100, 100, { ...common, losses: losses(1.4, 1.9, 3.3, 3.8) });
  assert.deepEqual(statuses([a, open]), { a: "open", open: "open" });
  const same = candidate("same", 100, 120, { ...common, losses: losses(1, 2, 3, 4) });
  assert.deepEqual(statuses([a, same]), { a: "front", same: "a" }, "equal losses");
  const slow = candidate("slow", 150, 150, { losses: losses(0.5, 1.5, 2.51, 3.5) });
  assert.deepEqual(statuses([a, slow]), { a: "front", slow: "front" });
  const failed = candidate("nan", 150, 150, { losses: losses(1, NaN, 3, 4) });
  assert.deepEqual(statuses([a, failed]), { a: "front", nan: "open" });
});

Deno.test("an objective that some candidate lacks is left out", () => {
  assert.deepEqual(frontOf([candidate("a", 100, null), candidate("b", 80, 10)], 0.01)!.objectives, ["speed"]);
  assert.deepEqual(statuses([candidate("a", 100, null), candidate("b", 80, 10)]), { a: "b", b: "front" });
  assert.equal(frontOf([candidate("a", 100, 10)], 0.01), null);
});

Deno.test("of equally fast variants whose noise differs, few on the true front are called dominated", () => {
  const random = new RandomStream(3);
  const counts = { dominated: 0, all: 0 };
  for (let run = 0; run < 60; run++) {
    // Memory falls as time grows: every one is on the front
    const made = [0, 1, 2, 3, 4].map((i): Candidate => {
      const walls = NOISE.map(() => 100 * 1.03 ** i * Math.exp(0.02 * random.normal()));
      return { name: `v${i}`, blocks: blocks(walls), memory: 100 - i, losses: null };
    });
    const { variants } = frontOf(made, 0.01)!;
    counts.dominated += variants.filter(({ status }) => status === "dominated").length;
    counts.all += variants.length;
  }
  assert.ok(counts.dominated <= 0.05 * counts.all, JSON.stringify(counts));
});

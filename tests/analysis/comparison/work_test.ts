import { equal, match } from "node:assert/strict";
import { workReason } from "../../../runtime/analysis/comparison/work.ts";
import type { Block, Work } from "../../../runtime/result/schema.ts";

/** Blocks of 10 steps, which dispatch as much as given. */
function program(name: string, dispatches: readonly number[], rest: Partial<Work> = {}) {
  const blocks = dispatches.map((count, round): Block => {
    const work = { dispatches: count, renderPasses: 0, uploadBytes: 0, marks: 0, ...rest };
    return { round, position: 0, samples: 10, wall: 1, steps: new Array(10).fill({}) as Block["steps"], work };
  });
  return { name, blocks };
}

Deno.test("steps with other counts of work cannot be compared, and the reason has the counts of both", () => {
  const [e, f] = [
    program("e", [10, 10, 10], { uploadBytes: 327_680 }),
    program("f", [100, 100, 90], { uploadBytes: 3_276_800 }),
  ];
  match(
    workReason(f, e, 0.01)!,
    /^a step is not the same work: dispatches 10, of e 1; uploaded bytes 327,680, of e 32,768; .*--per-step/,
  );
  match(workReason(e, f, 0.01)!, /work: dispatches 1, of f 10; uploaded bytes 32,768, of f 327,680; /);
  match(
    workReason(program("f", [10], { marks: 20 }), program("e", [10], { marks: 10 }), 0.01)!,
    /work: marks 2, of e 1;/,
  );
});

Deno.test("counts that overlap, differ by no more than counts, or are unknown leave steps comparable", () => {
  const e = program("e", [100, 100, 110]);
  equal(workReason(program("f", [110, 130, 110]), e, 0.01), null, "some blocks of both have the same work");
  equal(workReason(program("f", [2290]), program("e", [2300]), 0.01), null);
  match(workReason(program("f", [2290]), program("e", [2300]), 0.001)!, /work: dispatches 229, of e 230;/);
  equal(workReason({ name: "f", blocks: e.blocks.map(({ work: _, ...block }) => block) }, e, 0.01), null);
  equal(workReason(program("f", []), e, 0.01), null);
});

import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "../../packages/fast_check.ts";
import { bisect, testsLeft } from "../../../runtime/cli/commits/bisection.ts";

Deno.test("bisecting finds the first bad commit, with few tests", async () => {
  for (let count = 1; count <= 40; count++) {
    for (let first = 0; first < count; first++) {
      let tests = 0;
      const found = await bisect(count, (index) => {
        tests++;
        return Promise.resolve(index < first ? "good" : "bad");
      });
      deepEqual(found, { first, suspects: [] });
      ok(tests <= testsLeft(count), `${tests} tests of ${count} commits`);
    }
  }
});

Deno.test("of skipped commits, only those that may be the first bad one are suspects", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), fc.nat(), async (skips, at) => {
      const count = skips.length;
      const first = at % count;
      const isSkipped = (index: number) => index < count - 1 && skips[index]!;
      const tested = new Set<number>();
      const found = await bisect(count, (index) => {
        ok(!tested.has(index) && index < count - 1, "each commit is tested once, and the last is known");
        tested.add(index);
        return Promise.resolve(isSkipped(index) ? "skip" : index < first ? "good" : "bad");
      });
      const indices = Array.from({ length: count }, (_, i) => i);
      equal(found.first, indices.find((index) => index >= first && !isSkipped(index)));
      const good = indices.findLast((index) => index < first && !isSkipped(index)) ?? -1;
      deepEqual(found.suspects, indices.filter((index) => index > good && index < found.first));
    }),
  );
});

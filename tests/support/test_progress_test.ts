import assert from "node:assert/strict";
import { TestProgress } from "./test_progress.ts";

Deno.test("a file counts as hung only if no test ends for the time limit", () => {
  const progress = new TestProgress(600);
  assert(!progress.pass(599));
  progress.read("running 3 tests from ./tests/slow_test.ts\nfirst ... ok (599ms)\n");
  assert(!progress.pass(599));
  progress.read("second ... FAILED (599ms)\nthird ...\n  a step ... ");
  assert(!progress.pass(500));
  progress.read("\x1b[0m\x1b[32mok\x1b[0m (500ms)\n");
  assert(!progress.pass(599));
  progress.read("------- output -------\nstill busy\n");
  assert(progress.pass(1));
});

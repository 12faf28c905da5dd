import assert from "node:assert/strict";
import type { ProgressEvent } from "../../runtime/core/progress.ts";
import { createProgress, describe } from "../../runtime/report/progress.ts";

/** Progress onto a stream that remembers, with a clock that is set by hand. */
function rehearse(isTerminal: boolean, columns = 80) {
  const clock = { now: 0 };
  const written: string[] = [];
  const stream = {
    writeSync(bytes: Uint8Array): number {
      written.push(new TextDecoder().decode(bytes));
      return bytes.length;
    },
  };
  const progress = createProgress({ stream, isTerminal, columns: () => columns, now: () => clock.now });
  return { clock, written, progress };
}

const event: ProgressEvent = {
  variant: "sink",
  stage: "measure",
  step: 4,
  steps: 10,
  message: "round 2/3",
  fraction: 0.5,
};

Deno.test("One line says what runs, how far it is and what remains", () => {
  assert.equal(describe(event, 12_000), "sink · measuring round 2/3 · step 4/10 · 0:12, about 0:12 left");
  const preparing = { variant: null, stage: "data", step: 0, steps: 0, fraction: null } as const;
  assert.equal(describe(preparing, 0), "preparing data · 0:00");
});

Deno.test("Without a terminal there is the first line and nothing else", () => {
  const { written, progress } = rehearse(false);
  progress.begin("resnet: 2 variants");
  progress.update(event);
  progress.done();
  assert.deepEqual(written, ["resnet: 2 variants\n"]);
});

Deno.test("On a terminal the line is rewritten in place and cleared at the end", () => {
  const { written, progress } = rehearse(true);
  progress.update(event);
  progress.done();
  progress.done();
  const line = "sink · measuring round 2/3 · step 4/10 · 0:00, about 0:00 left";
  assert.deepEqual(written, [`\r\x1b[2K${line}`, "\r\x1b[2K"]);
});

Deno.test("Steps are thinned out, changes of variant and stage are not", () => {
  const { clock, written, progress } = rehearse(true);
  for (let step = 0; step < 10; step++) {
    clock.now += 30;
    progress.update({ ...event, step });
  }
  assert.equal(written.length, 3);
  progress.update({ ...event, stage: "evaluate" });
  progress.update({ ...event, variant: "amp", stage: "evaluate" });
  assert.equal(written.length, 5);
});

Deno.test("A line never reaches the edge of the terminal", () => {
  const { written, progress } = rehearse(true, 20);
  progress.update(event);
  assert.equal(written[0], "\r\x1b[2Ksink · measuring r…");
});

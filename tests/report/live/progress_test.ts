import assert from "node:assert/strict";
import type { ProgressEvent, SoFar } from "../../../runtime/result/run_event.ts";
import { createProgress, type ProgressMode, progressMode } from "../../../runtime/report/live/progress.ts";

/** Progress onto a stream that remembers, with a clock that is set by hand. */
function rehearse(mode: ProgressMode, columns = 80, rows = 24) {
  const clock = { now: 0 };
  const state = { interrupted: false };
  const written: string[] = [];
  const stream = {
    writeSync(bytes: Uint8Array): number {
      written.push(new TextDecoder().decode(bytes));
      return bytes.length;
    },
  };
  const progress = createProgress({
    stream,
    mode,
    size: () => ({ columns, rows }),
    interrupted: () => state.interrupted,
    now: () => clock.now,
  });
  return { clock, written, progress, state };
}

const soFar: SoFar = { ips: 151.7, unit: "images/s", ratio: 1.083, bound: "device" };

const event: ProgressEvent = {
  type: "progress",
  variant: "sink",
  stage: "measure",
  step: 4,
  steps: 10,
  message: "round 2/3",
  fraction: 0.5,
  soFar,
};

Deno.test("Where progress goes: pipes stay clean, dumb terminals get lines, --quiet gets nothing", () => {
  const usual = { isTerminal: true, dumb: false, quiet: false, dataOnStdout: false };
  assert.equal(progressMode(usual), "live");
  assert.equal(progressMode({ ...usual, dumb: true }), "lines");
  assert.equal(progressMode({ ...usual, isTerminal: false }), "lines");
  assert.equal(progressMode({ ...usual, dataOnStdout: true }), "first");
  assert.equal(progressMode({ ...usual, quiet: true }), "none");
  assert.equal(progressMode({ ...usual, dataOnStdout: true, quiet: true }), "none");
});

Deno.test("Without a terminal a line comes every ten seconds at most, and none in a short run", () => {
  const { clock, written, progress } = rehearse("lines");
  progress.begin("resnet: 2 variants");
  progress.update({ ...event, variant: "baseline", stage: "warmup", fraction: 0 });
  for (clock.now = 100; clock.now < 25_000; clock.now += 100) progress.update(event);
  progress.done();
  assert.deepEqual(written, [
    "resnet: 2 variants\n",
    "sink · measuring round 2/3 · step 4/10 · 152 images/s  ×1.08  device · 50 % · 0:10, about 0:10 left\n",
    "sink · measuring round 2/3 · step 4/10 · 152 images/s  ×1.08  device · 50 % · 0:20, about 0:20 left\n",
  ]);
});

Deno.test("With the result on stdout there is the first line alone, and with --quiet not even that", () => {
  for (const [mode, expected] of [["first", ["resnet\n"]], ["none", []]] as const) {
    const { clock, written, progress } = rehearse(mode);
    progress.begin("resnet");
    clock.now = 60_000;
    progress.update(event);
    progress.done();
    assert.deepEqual(written, expected);
  }
});

Deno.test("On a terminal a few lines replace the previous ones, and are erased at the end", () => {
  const { clock, written, progress } = rehearse("live");
  progress.update({
    ...event,
    fraction: 0,
    stage: "warmup",
    message: "a",
    variant: "baseline",
    soFar: { ...soFar, ratio: null },
  });
  clock.now = 12_000;
  progress.update(event);
  progress.done();
  progress.done();
  assert.deepEqual(written.slice(1), [
    "\r\x1b[3A" +
    "sink · measuring round 2/3 · step 4/10\x1b[K\n" +
    "━━━━━━━━━━━━━━━━━━━━────────────────────  50 %  0:12, about 0:12 left\x1b[K\n" +
    "  baseline  152 images/s  device\x1b[K\n" +
    "> sink      152 images/s  ×1.08  device\x1b[K\n" +
    "\x1b[J",
    "\r\x1b[4A\x1b[J",
  ]);
});

Deno.test("Frames are thinned out, changes of variant and stage are not", () => {
  const { clock, written, progress } = rehearse("live");
  for (let step = 0; step < 10; step++) {
    clock.now += 30;
    progress.update({ ...event, step });
  }
  assert.equal(written.length, 3);
  progress.update({ ...event, stage: "evaluate" });
  progress.update({ ...event, variant: "amp", stage: "evaluate" });
  assert.equal(written.length, 5);
});

Deno.test("After an interruption, which has a separate line, the frame is drawn below it", () => {
  const { clock, written, progress, state } = rehearse("live");
  progress.update(event);
  state.interrupted = true;
  for (clock.now = 1000; clock.now < 1300; clock.now += 100) progress.update(event);
  assert(written[1]!.startsWith("\rsink"), "not over the line");
  assert(written[2]!.startsWith("\r\x1b[3Asink"), "as before from then on");
});

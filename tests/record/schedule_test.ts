import assert from "node:assert/strict";
import {
  DEFAULT_PROFILE,
  type ProfileRequest,
  profileWindow,
  stepCount,
  stepMode,
} from "../../runtime/record/schedule.ts";

function stepModes(schedule: ProfileRequest) {
  return Array.from({ length: stepCount(schedule) }, (_, step) => stepMode(schedule, step));
}

/** The modes as letters: idle `-`, warmup `w`, active `A`. */
function letters(schedule: ProfileRequest): string {
  return stepModes(schedule).map((mode) => ({ idle: "-", warmup: "w", active: "A" })[mode]).join("");
}

Deno.test("a schedule skips once, then repeats its cycle", () => {
  assert.equal(letters(DEFAULT_PROFILE), "wAAAAA");
  assert.equal(letters({ skipFirst: 2, wait: 1, warmup: 1, active: 2, repeat: 2 }), "---wAA-wAA");
  assert.equal(letters({ skipFirst: 0, wait: 0, warmup: 0, active: 3, repeat: 1 }), "AAA");
});

Deno.test("a window records steps by number", () => {
  assert.deepEqual(stepModes(profileWindow(20, 30)).flatMap((mode, step) => mode === "active" ? [step] : []), [
    20,
    21,
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
  ]);
  assert.equal(letters(profileWindow(0, 1)), "A");
});

Deno.test("steps after the last, which fill up a sink, are not recorded", () => {
  assert.equal(stepMode({ skipFirst: 0, wait: 0, warmup: 1, active: 2, repeat: 1 }, 3), "idle");
});

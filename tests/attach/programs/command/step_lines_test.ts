import { deepEqual } from "node:assert/strict";
import { StepLines } from "../../../../runtime/attach/programs/command/step_lines.ts";

function add(lines: StepLines, text: string, time: number) {
  return lines.add(new TextEncoder().encode(text), time);
}

Deno.test("a line with a match ends a step once it is complete", () => {
  const lines = new StepLines("^step \\d+");
  deepEqual(add(lines, "begin\r\nstep 1 of", 1), []);
  deepEqual(add(lines, " 9\r\nother step 2\r\nstep 3\r\n", 2), [{ time: 2, loss: null }, { time: 2, loss: null }]);
});

Deno.test("lines of a progress bar count, without their colours", () => {
  const lines = new StepLines("^ *(\\d+)/10$");
  deepEqual(add(lines, "\u001b[32m 1/10\u001b[0m\r 2/10\r", 5).length, 2);
});

Deno.test("a group names the loss of a step", () => {
  const lines = new StepLines("loss[ =](?<loss>\\S+)");
  const text = "loss 0.25\nloss=nan\nloss -inf\nloss 1e-3,\n";
  deepEqual(add(lines, text, 0).map(({ loss }) => loss), [0.25, "NaN", "-Infinity", "NaN"]);
});

import { deepEqual } from "node:assert/strict";
import { lastLines } from "../../../runtime/attach/programs/last_lines.ts";

const NOISE = "error: XDG_RUNTIME_DIR is invalid or not set in the environment.\n";

Deno.test("the last lines on stderr are the program's own, without colours, empty lines and the driver's noise", () => {
  const stderr = `start\nfirst\n\x1b[31msecond\x1b[0m\n${NOISE}${NOISE}\n`;
  deepEqual(lastLines(stderr, 2), ["first", "second"]);
  deepEqual(lastLines(NOISE, 5), []);
  deepEqual(lastLines("", 5), []);
});

Deno.test("the lines of an uncaught error begin with its message, also where its stack is longer", () => {
  const error = "error: Uncaught (in promise) Error: no data\nthrow new Error(";
  const stack = Array.from({ length: 9 }, (_, i) => `    at f${i}`).join("\n");
  deepEqual(lastLines(`log\n${error}\n${stack}\n`, 3), [...error.split("\n"), "    at f0"]);
  deepEqual(lastLines(`log\n${error}\n`, 3), ["log", ...error.split("\n")]);
});

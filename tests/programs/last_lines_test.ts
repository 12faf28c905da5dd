import { deepEqual } from "node:assert/strict";
import { lastLines } from "../../runtime/programs/last_lines.ts";

const NOISE = "error: XDG_RUNTIME_DIR is invalid or not set in the environment.\n";

Deno.test("the last lines on stderr are the program's own, without colours, empty lines and the driver's noise", () => {
  const stderr = `start\nfirst\n\x1b[31msecond\x1b[0m\n${NOISE}${NOISE}\n`;
  deepEqual(lastLines(stderr, 2), ["first", "second"]);
  deepEqual(lastLines(NOISE, 5), []);
  deepEqual(lastLines("", 5), []);
});

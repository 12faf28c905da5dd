/**
 * Runs the scripts of the README and the guide with `--list` added, which checks the same flags and settings, models and
 * gates. A script that is no scenario runs with as few repeats as it takes. `mpirun` is left out, since not every machine
 * has it; tests/cluster/ trains with it. What trains for real is in readme_test.ts and the tests of the examples.
 */
import { ok } from "node:assert/strict";
import { Clone, commands } from "./commands.ts";

const scripts = commands.filter((command) => command.includes("deno run -A scripts/") && !command.includes("tacho.ts"));

let clone: Clone;

Deno.test.beforeAll(async () => {
  clone = await Clone.make();
});

Deno.test.afterAll(() => clone[Symbol.asyncDispose]());

Deno.test("the pages have commands that run scripts", () => {
  ok(scripts.length > 10, `${scripts.length} commands`);
});

for (const command of scripts) {
  Deno.test(`the script takes the flags and settings: ${command}`, () => {
    return clone.succeed(quick(command));
  });
}

/** Returns the command without `mpirun`, and with the flag that makes it short. */
function quick(launched: string): string {
  const command = launched.replace(/^mpirun -n \d+ /, "");
  if (/--(help|dry-run|list)\b/.test(command)) return command;
  return command.includes("timing_methods.ts") ? `${command} --repeats 2` : `${command} --list`;
}

/** Prints the help of every `tacho` command, each after a line with its name; part of `deno task docs`. */
import { COMMANDS } from "../runtime/cli/commands/registry.ts";
import { tacho } from "../runtime/cli/tacho.ts";

console.log("=== tacho");
await tacho(["--help"]);
for (const { name } of COMMANDS) {
  console.log(`=== ${name}`);
  await tacho([name, "--help"]);
}

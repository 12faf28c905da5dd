/** Runs the `tacho` commands of the README and the guide in their order, on runs that they find in the store. */
import { ok } from "node:assert/strict";
import { Clone, commands, SHORT } from "./commands.ts";

const tacho = commands.filter((command) => command.startsWith("tacho "));

let clone: Clone;

Deno.test.beforeAll(async () => {
  clone = await Clone.make();
});

Deno.test.afterAll(() => clone[Symbol.asyncDispose]());

Deno.test("the pages have commands of tacho", () => {
  ok(tacho.length > 10, `${tacho.length} commands`);
});

for (const command of tacho) {
  Deno.test(`the command runs on kept runs: ${command}`, async () => {
    // A locked experiment is repeated by the next command, so it is a short one
    const short = command.replace(/^tacho lock scripts\/mlp\.ts/, `$& ${SHORT}`);
    const { code, text } = await clone.sh(short.replace(/^tacho/, "deno run -A scripts/tacho.ts"));
    // Times depend on the machine; status 1 means that they do not agree, or do not hold a gate
    ok(code === 0 || (code === 1 && /^tacho (gate|repeat) /.test(command)), `${code}: ${text}`);
  });
}

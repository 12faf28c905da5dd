import { strictEqual } from "node:assert/strict";
import { tachoCommand } from "../../runtime/cli/tacho_command.ts";
import { TACHO_VERSION } from "../../runtime/experiment/environment.ts";

Deno.test("a suggested command starts a clone or an unpacked package by its path, and an installed one by its version", () => {
  const folder = "/home/me/project";
  strictEqual(tachoCommand("file:///home/me/project/", folder), "deno run -A scripts/tacho.ts");
  strictEqual(tachoCommand("file:///home/me/project/my%20tacho/", folder), "deno run -A 'my tacho/scripts/tacho.ts'");
  strictEqual(tachoCommand("file:///home/me/tacho/", folder), "deno run -A /home/me/tacho/scripts/tacho.ts");
  strictEqual(tachoCommand("file:///home/me/tacho/", null), "deno run -A /home/me/tacho/scripts/tacho.ts");
  const installed = `npm:@tacho/tacho@${TACHO_VERSION}/cli`;
  const cached = `file:///home/me/.cache/deno/npm/registry.example/@tacho/tacho/${TACHO_VERSION}/`;
  for (const root of [cached, "file:///home/me/project/node_modules/@tacho/tacho/"]) {
    strictEqual(tachoCommand(root, folder), `deno run -A ${installed}`);
  }
  const jsr = `jsr:@tacho/tacho@${TACHO_VERSION}/cli`;
  strictEqual(tachoCommand("https://jsr.io/@tacho/tacho/0.1.0/", folder), `deno run -A ${jsr}`);
});

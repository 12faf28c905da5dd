/** Runs commands of `tacho`, each in its folder with the store below it, and prints their outcomes as lines of JSON. */
import { join } from "node:path";
import { tachoIn } from "./tacho_here.ts";

const commands = JSON.parse(Deno.args[0]!) as readonly { readonly folder: string; readonly args: readonly string[] }[];
for (const { folder, args } of commands) {
  const { code, stderr } = await tachoIn(folder, join(folder, "store"), args);
  console.log(JSON.stringify({ code, stderr }));
}

import { basename, resolve } from "node:path";
import { InputError } from "../../core/errors.ts";
import { formatMiB } from "../../report/format.ts";
import { writeBundle } from "../bundle/bundle.ts";
import { folder } from "../flag_values.ts";
import { runOf } from "../parse_command.ts";
import { checkScript } from "../script.ts";
import { warn, writeOut } from "../terminal.ts";
import { createPlainCommand } from "./command.ts";

export const define = () =>
  createPlainCommand({
    name: "bundle",
    description:
      "Writes a folder that runs a script on a machine without a network, Deno, Tacho or root: with the script and the " +
      "modules and text files that it imports, Tacho, Deno, all packages and the Vulkan loader. The folder can be moved. " +
      "Drivers of GPUs and data are not part of it. Runs on machines like this one (system and processor).",
    examples: [
      ["tacho bundle mlp.ts", "write the folder mlp.bundle"],
      ["mlp.bundle/run sink=0,10 --rounds 8", "run the script on the other machine"],
      ["mlp.bundle/tacho submit mlp.bundle/script/mlp.ts --shards 4", "submit a sweep from the bundle"],
    ],
  })
    .argument("<script>", "path of a script")
    .option("--out <dir>", "folder to write (default: NAME.bundle)", folder("--out"));

/** Writes a bundle. */
export const run = runOf(define, async ({ out: named }, [script]) => {
  const out = named ?? `${basename(script).replace(/\.[^.]+$/, "")}.bundle`;
  if (Deno.build.os === "windows") throw new InputError("tacho bundle: runs on Linux and macOS only");
  checkScript(script, "tacho bundle");
  const { size, hasLoader } = await writeBundle(resolve(script), resolve(out));
  if (!hasLoader && Deno.build.os === "linux") {
    warn("this machine has no Vulkan loader (libvulkan.so.1) to add; the other machine must have one");
  }
  writeOut(`${out}: ${formatMiB(size)} MiB; ${out}/run runs the script, ${out}/tacho the tacho command\n`);
});

/**
 * Runs programs of other libraries and of Tacho bare and under `tacho attach`, and compares what they print: losses or
 * sums of outputs with all their digits, and the exit status. Prints what the report accounts for.
 *
 *     deno task bench:same                # all programs
 *     deno task bench:same tfjs typegpu   # some of them
 *     deno task bench:same --stack        # with the lines of the program
 *
 * The libraries are dependencies of `bench/peers/deno.json` only. Ends with status 1 if any output or status differs.
 *
 * @module
 */
import { join } from "node:path";
import type { AttachResult } from "../runtime/analysis/attach/result.ts";
import { load } from "./peer_process.ts";

const root = join(import.meta.dirname!, "..");
const peer = (script: string, ...args: string[]) => [
  ...["--config", join(root, "bench/peers/deno.json"), join(root, "bench/peers", script)],
  ...[...args, "--steps", "3", "--skip", "6", "--blocks", "4"],
];

/** Arguments of `deno run` for each program. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  "tfjs": peer("tfjs.ts", "lenet"),
  "jax-js": peer("jax.ts", "lenet"),
  "typegpu": peer("typegpu.ts"),
  "onnxruntime": peer("onnxruntime.ts"),
  "tacho": [join(root, "tests/attach/losses_program.ts")],
};

const stack = Deno.args.includes("--stack");
const asked = Deno.args.filter((arg) => arg !== "--stack");
const unknown = asked.find((name) => !(name in PROGRAMS));
if (unknown !== undefined) throw new Error(`Expected some of ${Object.keys(PROGRAMS).join(", ")}, got "${unknown}"`);

console.log(`${load()}\n`);
console.log("program      values  same  dispatches  steps  ms per step  unexplained  timed to untimed steps");
let differ = false;
for (const name of asked.length === 0 ? Object.keys(PROGRAMS) : asked) {
  const command = ["run", "-A", "--no-check", "--quiet", ...PROGRAMS[name]!];
  const bare = await outcome(command);
  const file = await Deno.makeTempFile({ suffix: ".json" });
  const flags = ["--no-store", "--json", file, ...stack ? ["--stack"] : []];
  const recorded = await outcome(["run", "-A", join(root, "scripts/tacho.ts"), "attach", ...flags, "--", "deno"].concat(
    command,
  ));
  const same = bare.stdout === recorded.stdout && bare.code === recorded.code && bare.code === 0;
  differ ||= !same;
  const { devices } = JSON.parse(await Deno.readTextFile(file)) as AttachResult;
  await Deno.remove(file);
  const device = devices.toSorted((a, b) => b.totals.dispatches - a.totals.dispatches)[0]!;
  const { account, cost } = device;
  const wall = device.timedWall?.toFixed(1) ?? "–";
  const unexplained = account === null ? "–" : `${(100 * account.idle.unexplained / account.wall).toFixed(2)} %`;
  const interval = cost?.interval ? ` [${cost.interval.low.toFixed(2)}, ${cost.interval.high.toFixed(2)}]` : "";
  const ratio = cost === null ? "–" : `${cost.ratio.toFixed(2)}${interval}`;
  console.log(
    name.padEnd(12) + String(bare.stdout.trim().split("\n").length).padStart(7) + (same ? "yes" : "NO").padStart(6) +
      String(device.totals.dispatches).padStart(12) + String(device.steadySteps).padStart(7) + wall.padStart(13) +
      unexplained.padStart(13) + ratio.padStart(24),
  );
  if (!same) console.log(`bare, status ${bare.code}:\n${bare.stdout}\nrecorded, status ${recorded.code}:\n`, recorded);
}
console.log(`\nafterwards ${load()}`);
Deno.exit(differ ? 1 : 0);

async function outcome(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = Deno.build.os === "linux" ? { DENO_WEBGPU_BACKEND: "vulkan", XDG_RUNTIME_DIR: "/tmp" } : {};
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args: [...args], env }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

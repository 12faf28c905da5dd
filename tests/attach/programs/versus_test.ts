import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import type { Result } from "../../../mod.ts";
import { run } from "../../../runtime/cli/commands/versus.ts";
import { tachoHere } from "../../cli/tacho_here.ts";

const linux = Deno.build.os === "linux";
const root = join(import.meta.dirname!, "../../..");
const train = (...args: string[]) =>
  ["deno run -A --no-check", `${root}/tests/fixtures/programs/train.ts`, ...args].join(" ");

/** Runs `tacho versus` on a small comparison. */
async function versus(...args: string[]): Promise<{ code: number; stderr: string; result: Result }> {
  const options = ["--block", "2", "--skip", "1", "--no-store", "--json", "-", ...args];
  const { code, stdout, stderr } = await tachoHere("", "versus", ...options);
  ok(stdout !== "", stderr);
  return { code, stderr, result: JSON.parse(stdout) as Result };
}

Deno.test("programs are compared in interleaved blocks, with the losses that they report", async () => {
  const { code, result } = await versus("--steps", "mark", "--rounds", "2", train("mark"), train("work=64", "mark"));
  equal(code, 0);
  const [a, b] = result.variants;
  deepEqual([a!.blocks.length, b!.comparison!.pairs, result.procedure!.secondArm!.blocks.length], [2, 2, 2]);
  deepEqual([a, b].map((variant) => variant!.exact!.dispatches), [1, 64], "each arm ran its own command");
  deepEqual(a!.blocks[0]!.work, { dispatches: 2, renderPasses: 0, uploadBytes: 0, marks: 2 });
  equal(b!.verdict, "invalid");
  match(b!.comparison!.reason, /^a step is not the same work: dispatches 64, of a 1; /);
  const { count, processes } = result.procedure!.setups;
  deepEqual([count, processes], [2, true], "a fresh process before each of fewer than four rounds");
  equal(b!.metrics.ips?.unit, "steps/s");
  const adapter = await navigator.gpu.requestAdapter();
  equal(result.environment.adapter?.name, adapter!.info.description || adapter!.info.device);
  equal(a!.losses[0], 1);
  equal(a!.losses[1], 1 / 2);
  const orders = [...Map.groupBy(result.variants.flatMap(({ blocks }) => blocks), ({ round }) => round).values()];
  equal(orders.length, 2);
  ok(orders.every((blocks) => new Set(blocks.map(({ position }) => position)).size === 2));
});

Deno.test("a program that fails is named with its last lines, and the others are measured", async () => {
  const { code, stderr, result } = await versus(
    ...["--steps", "wait", "--rounds", "3", "--processes", "1"],
    train(),
    train("end=throw"),
    train("steps=6"),
    train("end=noise"),
    train("end=destroy"),
  );
  equal(code, 2);
  const [good, thrown, early, noisy, destroyed] = result.variants;
  equal(good!.status, "ok");
  equal(good!.blocks.length, 3);
  match(thrown!.error!.message, /ended with status 1[^]*The planted error/);
  deepEqual([early!.status, early!.blocks.length], ["ok", 3], early!.error?.message ?? "it is started again");
  match(stderr, /c ends after about \d steps, and is started again where more are needed; let it run more steps/);
  equal(noisy!.status, "ok");
  match(destroyed!.error!.message, /The program's device was destroyed before the comparison was complete/);
});

Deno.test("a program that takes no step is ended after the timeout", async () => {
  const { code, result } = await versus(
    ...["--timeout", "3", "--steps", "wait", "--rounds", "2", "--processes", "1"],
    train(),
    train("end=hang"), // at step 8
  );
  equal(code, 2);
  match(result.variants[1]!.error!.message, /took no step for 3 s; end its steps with performance\.mark/);
});

Deno.test("steps of a command that does not run Deno are refused with the ones that it can have", async () => {
  await rejects(run(["--steps", "mark", "python a.py", "deno run -A b.ts"]), {
    name: "InputError",
    message: /"python a\.py" is no program of Deno; give --steps run, or stdout:\/REGEX\//,
  });
});

Deno.test(
  "whole runs of any command are compared, and the command that fails is named",
  { ignore: !linux },
  async () => {
    const { code, result } = await versus(
      ...["--steps", "run", "--skip", "0", "--rounds", "2", "-n", "short", "-n", "long", "-n", "fails"],
      ...["sleep 0.01", "sleep 0.02", "echo why >&2; exit 3"],
    );
    equal(code, 2);
    const [short, long, failed] = result.variants;
    deepEqual([short!.blocks.length, long!.comparison!.pairs, result.procedure!.secondArm!.blocks.length], [2, 2, 2]);
    const [run] = short!.blocks[0]!.runs!;
    deepEqual([short!.blocks[0]!.steps.length, run!.status, short!.metrics.ips?.unit], [2, 0, "runs/s"]);
    ok(short!.blocks.every(({ runs }) => runs!.every(({ wall }) => wall >= 10)));
    match(failed!.error!.message, /ended with status 3; -i \(ignoreFailure\) measures it all the same[^]*why/);
  },
);

Deno.test("a setting of scenarios among the commands is named, with the option in its place", async () => {
  const [a, b] = ["a=deno run -A a.ts", "b=deno run -A b.ts"];
  await rejects(run(["measure.steps=40", a!, b!]), {
    name: "InputError",
    message: "tacho versus: measure.steps is a setting of scenarios; use --block 40",
  });
  await rejects(run(["loader.batchSize=8", a!, b!]), {
    message: /loader\.batchSize is a setting .* programs keep theirs/,
  });
  await rejects(run(["deno run -A c.ts", a!]), { message: /two programs have the name "a"; name each: NAME=/ });
});

/**
 * Runs the commands of the README and the guide as they are written, in a copy of the repository. Scripts run with
 * `--dry-run` added, which reads the same flags and settings; what trains for real is in readme_test.ts and the tests
 * of the examples.
 */
import { ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { allBlocks, commandsOf } from "./blocks.ts";
import { copyRepository } from "./copy.ts";

/** Commands that other tests run, such as resuming an interrupted run, and benchmarks, which gate nothing. */
const ELSEWHERE = /^(sh scripts\/setup\.sh|tacho resume|deno task|deno install|git|TACHO_KERNELS=gpu deno task)\b/;

/** Commands on a script outside the repository, which readme_test.ts runs, and on data that a user downloads. */
const NOT_HERE = /\bmine\.ts\b|--data cifar-10-batches-bin/;

const commands = [...new Set(allBlocks("sh").flatMap(commandsOf))]
  .filter((command) => !ELSEWHERE.test(command) && !NOT_HERE.test(command));

const place = await Deno.makeTempDir({ prefix: "tacho-docs-" });
const clone = join(place, "clone");
const env = { TACHO_STORE: join(place, "store"), NO_COLOR: "1" };

async function sh(command: string): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", command],
    cwd: clone,
    env,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, text: `${command}\n${decoder.decode(stdout)}${decoder.decode(stderr)}` };
}

/** Settings and flags that make a run of scripts/mlp.ts short. */
const SHORT = "hidden=8 loader.batchSize=8 --steps 10 --skip 1 --rounds 2 --no-aa";

/** Two small runs of a script that the pages use, the second of which is the baseline for gates. */
const KEPT = [
  ...Array<string>(2).fill(`deno run -A scripts/mlp.ts ${SHORT} --quiet`),
  "deno run -A scripts/tacho.ts baseline set",
];

Deno.test.beforeAll(async () => {
  await copyRepository(clone);
  for (const command of KEPT) {
    const { code, text } = await sh(command);
    strictEqual(code, 0, text);
  }
});

Deno.test.afterAll(async () => {
  await Deno.remove(place, { recursive: true });
});

Deno.test("scripts take the flags and settings of the pages", async () => {
  const scripts = commands.filter((command) =>
    command.includes("deno run -A scripts/") && !command.includes("tacho.ts")
  );
  ok(scripts.length > 10, `${scripts.length} commands`);
  for (const command of scripts) {
    const { code, text } = await sh(/--(help|dry-run|list)\b/.test(command) ? command : `${command} --dry-run`);
    strictEqual(code, 0, text);
  }
});

Deno.test("tacho runs the commands of the pages on kept runs", async () => {
  const tacho = commands.filter((command) => command.startsWith("tacho "));
  ok(tacho.length > 10, `${tacho.length} commands`);
  for (const command of tacho) {
    // A locked experiment is repeated by the next command, so it is a short one
    const short = command.replace(/^tacho lock scripts\/mlp\.ts/, `$& ${SHORT}`);
    const { code, text } = await sh(short.replace(/^tacho/, "deno run -A scripts/tacho.ts"));
    // Whether times agree or hold a gate is up to the machine: status 1 says that they do not
    ok(code === 0 || (code === 1 && /^tacho (gate|repeat) /.test(command)), `${code}: ${text}`);
  }
});

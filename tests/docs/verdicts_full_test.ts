/** Quick documented commands with large effects end as the table of endings says. */
import { equal } from "node:assert/strict";
import { headlineOf } from "../../runtime/report/headline.ts";
import type { Result } from "../../runtime/result/schema.ts";
import { ROOT } from "./blocks.ts";
import { ENDINGS, wordsOf } from "./verdicts.ts";

/** Commands whose variants differ by a factor of two and more. */
const COMMANDS = [
  "deno run -A scripts/resnet.ts",
  "deno run -A scripts/mlp.ts sink=0,5,20",
  "deno run -A scripts/mlp.ts hidden=16..256:x2 sink=0,8 --exclude 'hidden=256,*'",
];

/** Runs of a command before it counts as undecided: a burst of other load can hide even these effects. */
const ATTEMPTS = 2;

for (const command of COMMANDS) {
  Deno.test(`the run ends as the table says: ${command}`, async () => {
    let ending: string | undefined;
    for (let attempt = 1; attempt <= ATTEMPTS && ending === undefined; attempt++) ending = await endingOf(command);
    equal(ending, ENDINGS[command]);
  });
}

/** Returns the verdict of the variant that the headline of a run names; undefined without one. */
async function endingOf(command: string): Promise<string | undefined> {
  const [, ...args] = wordsOf(command);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args, "--quiet", "--no-store", "--json", "-"],
    cwd: ROOT,
  }).output();
  equal(code, 0, new TextDecoder().decode(stderr));
  const result: Result = JSON.parse(new TextDecoder().decode(stdout));
  const named = headlineOf(result)?.variant;
  return result.variants.find(({ name }) => name === named)?.verdict ?? undefined;
}

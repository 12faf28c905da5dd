import assert from "node:assert/strict";
import { join } from "node:path";

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
  const folder = await Deno.makeTempDir({ prefix: "tacho-test-" });
  try {
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
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

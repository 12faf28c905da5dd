/** Runs the commands of docs/guide/permissions.md with the permissions that they name, and with fewer. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { prepareStandIn } from "../../runtime/data/standin/prepare.ts";
import { sampled } from "../support/full.ts";
import { blocksOf, commandsOf, ROOT } from "../docs/blocks.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

const commands = blocksOf("docs/guide/permissions.md").filter(({ language }) => language === "sh").flatMap(commandsOf);

/** Settings and flags that make a run of scripts/mlp.ts short. */
const SHORT = [
  "hidden=8",
  "loader.batchSize=8",
  "--variants=baseline",
  "--no-aa",
  "--steps=1",
  "--skip=1",
  "--rounds=1",
];

/** Runs a command of the page, whose output file is in `folder`. */
async function run(command: string, folder: string): Promise<{ code: number; stderr: string }> {
  const [, ...args] = command.split(" ").map((word) => word.replace(/\bout\.json$/, join(folder, "out.json")));
  const short = /--(list|help)/.test(command) ? [] : SHORT;
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args, ...short],
    cwd: ROOT,
    env: { TACHO_STORE: join(folder, "store"), DENO_NO_PROMPT: "1", NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  await using temporary = await temporaryFolder();
  const { path: folder } = temporary;
  await work(folder);
}

Deno.test("the permissions that the page names are enough", async () => {
  assert.equal(commands.length, 4);
  await prepareStandIn(); // a first run writes it to the cache
  await withFolder(async (folder) => {
    for (const command of commands) {
      const { code, stderr } = await run(command, folder);
      assert.equal(code, 0, `${command}\n${stderr}`);
      assert.doesNotMatch(stderr, /Requires|is not kept/);
    }
    const kept = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    assert.deepEqual(kept, ["out.json", "store"]);
  });
});

Deno.test("--list, --help and --dry-run need no permission", async () => {
  await withFolder(async (folder) => {
    for (const flag of sampled(["--list", "--help", "--dry-run"], 2)) {
      const { code, stderr } = await run(`deno run scripts/mlp.ts ${flag}`, folder);
      assert.equal(code, 0, `${flag}\n${stderr}`);
      assert.doesNotMatch(stderr, /Requires/);
    }
  });
});

Deno.test("a missing permission is one line that names the flag to add", async () => {
  const command = commands.find((command) => command.includes("--json"))!;
  await withFolder(async (folder) => {
    const flags = command.split(" ").filter((word) => word.startsWith("--allow-"));
    for (const flag of sampled(flags, 2)) {
      const { code, stderr } = await run(command.replace(` ${flag}`, ""), folder);
      assert.equal(code, 2, stderr);
      // without the environment wgpu prints its own lines
      const lines = stderr.trimEnd().split("\n").filter((line) => !line.startsWith("error: XDG_RUNTIME_DIR"));
      const name = flag.split("=")[0]!;
      assert.match(
        lines.at(-1)!,
        new RegExp(`^error: .*Requires \\w+ access.*; add ${name}\\S* before the script\\)?$`),
      );
      assert.equal(lines.filter((line) => line.startsWith("error:")).length, 1, stderr);
    }
  });
});

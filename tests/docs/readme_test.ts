/**
 * Follows the README as a newcomer does: the scenario, a project of one's own, and every command on it, with fewer steps
 * and rounds.
 */
import { match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { full } from "../support/full.ts";
import { blocksOf, commandsOf } from "./blocks.ts";
import { copyRepository } from "./copy.ts";

/** Flags and settings that make a run short. */
const SHORT = "--steps 1 --rounds 2 --max-time 1 --no-aa measure.maxSkip=1 measure.opRounds=1";

const blocks = blocksOf("README.md");
const scenario = blocks.find(({ language, text }) => language === "ts" && text.includes("export default scenario"))!;
const config = blocks.find(({ language }) => language === "json")!;
const place = await Deno.makeTempDir({ prefix: "tacho-readme-" });
const project = join(place, "project");
const bin = join(place, "installed", "bin");
const env = {
  TACHO_STORE: join(place, "store"),
  DENO_INSTALL_ROOT: join(place, "installed"),
  PATH: `${bin}:${Deno.env.get("PATH")}`,
  NO_COLOR: "1",
};

async function sh(command: string, cwd: string): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("sh", { args: ["-c", command], cwd, env, stdin: "null" })
    .output();
  const decoder = new TextDecoder();
  const text = decoder.decode(stdout);
  strictEqual(code, 0, `${command}\n${text}${decoder.decode(stderr)}`);
  return text;
}

Deno.test.beforeAll(async () => {
  await copyRepository(join(place, "tacho"));
  await Deno.mkdir(project);
  await Deno.writeTextFile(join(project, "mine.ts"), scenario.text);
  await Deno.writeTextFile(join(project, "deno.json"), config.text);
});

Deno.test.afterAll(async () => {
  await Deno.remove(place, { recursive: true });
});

Deno.test("the scenario takes at most twenty lines", () => {
  ok(scenario.text.trim().split("\n").length <= 20, "the scenario takes more than twenty lines");
});

const mine = blocks.filter(({ language }) => language === "sh").flatMap(commandsOf)
  .filter((command) => command.startsWith("deno run -A mine.ts"));

for (const command of full ? mine : mine.slice(0, 1)) {
  Deno.test(`README: ${command}`, async () => {
    const trains = !/--(help|dry-run)\b/.test(command);
    const short = command.includes("batchSize=") ? SHORT : `${SHORT} loader.batchSize=8`;
    const text = await sh(trains ? `${command} ${short}` : command, project);
    if (trains) match(text, /^\S.* images\/s +ratio/m);
  });
}

Deno.test("README: the tacho command is installed and runs the scenario", async () => {
  const commands = blocks.flatMap((block) => block.language === "sh" ? commandsOf(block) : []);
  await sh(commands.find((command) => command.startsWith("deno install"))!, join(place, "tacho"));
  const run = commands.find((command) => command.startsWith("tacho run mine.ts"))!;
  // The fast set trains it by the first command
  match(await sh(full ? `${run} ${SHORT} loader.batchSize=8` : `${run} --list`, project), /^both +/m);
  match(await sh("tacho runs", project), /mine/);
});

/** Each documented command that measures has an ending, and its rounds can reach it. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { roundsToReject } from "../../runtime/analysis/comparison/winsorised.ts";
import { parseFlags, settingsOf } from "../../runtime/cli/flags.ts";
import { SOFTWARE } from "../../runtime/scenario/adapters.ts";
import type { Scenario } from "../../runtime/scenario/definition.ts";
import { type ResolvedScenario, resolveScenario } from "../../runtime/scenario/resolve.ts";
import { blocksOf, ROOT } from "./blocks.ts";
import { ENDINGS, measuringCommands, wordsOf } from "./verdicts.ts";

/** Part of the commands that may end without a verdict. */
const MAY_BE_UNCLEAR = 0.1;

const endings = Object.entries(ENDINGS);

Deno.test("each documented command that measures has an ending", () => {
  deepStrictEqual(measuringCommands().sort(), endings.map(([command]) => command).sort());
});

Deno.test("at most one command in ten may be unclear", () => {
  const unclear = endings.filter(([, ending]) => typeof ending === "object" && "unclearBelow" in ending);
  ok(unclear.length <= MAY_BE_UNCLEAR * endings.length, `${unclear.length} of ${endings.length}`);
});

Deno.test("a command with a verdict has the rounds that one needs; one whose verdict may be unclear, fewer than named", async () => {
  for (const [command, ending] of endings) {
    if (typeof ending === "object" && "shows" in ending) continue;
    const { variants, measure } = await resolved(command);
    const needed = roundsToReject(variants.length - 1);
    ok(variants.length > 1, `${command}: compares nothing`);
    ok(
      measure.rounds >= needed,
      `${command}: ${measure.rounds} rounds of ${variants.length} variants; needs ${needed}`,
    );
    if (typeof ending === "object") ok(measure.rounds < ending.unclearBelow, `${command}: ${measure.rounds} rounds`);
  }
});

/** Resolves the scenario of a command for a software adapter, without running it. */
async function resolved(command: string): Promise<ResolvedScenario> {
  const words = wordsOf(command);
  const at = words.findIndex((word) => word.endsWith(".ts"));
  const flags = parseFlags(words.slice(at + 1), { command, helpAfter: () => "", helpWidth: 100, write: () => {} });
  const definition = await scenarioOf(words[at]!);
  const adapters = Object.keys(definition.adapters ?? {}).filter((key) => key === SOFTWARE);
  return resolveScenario(definition, { ...settingsOf(flags!), adapters });
}

async function scenarioOf(script: string): Promise<Scenario> {
  const url = script === "mine.ts" ? readmeModule() : `file://${join(ROOT, script)}`;
  return (await import(url)).default;
}

/** Returns the README's scenario as a module. */
function readmeModule(): string {
  const { text } = blocksOf("README.md").find(({ language, text }) =>
    language === "ts" && text.includes("export default scenario")
  )!;
  return `data:application/typescript,${encodeURIComponent(text)}`;
}

import { ExitStatus } from "../core/errors.ts";
import { renderFit } from "../report/fit.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import type { Flags } from "./flags.ts";
import { stdoutIsData, writeJson } from "./json_output.ts";
import { lookOfStdout, writeError, writeOut } from "./terminal.ts";

/** Prints the largest batch of each variant that fits in memory. Returns the exit status. */
export async function printFit(scenario: ResolvedScenario, flags: Flags): Promise<number> {
  const shows = flags.quiet !== true && Deno.stderr.isTerminal();
  const { fitBatches } = await import("../experiment/fit.ts");
  const fit = await fitBatches(scenario, {
    adapter: flags.adapter,
    onSearch: (variant, done) => {
      if (shows) writeError(`search ${done + 1}: ${variant}\n`);
    },
  });
  if (!stdoutIsData(flags)) writeOut(renderFit(fit, lookOfStdout(flags.color)));
  if (flags.json !== undefined) writeJson(flags.json, fit);
  return fit.variants.every(({ error }) => error === null) ? ExitStatus.ok : ExitStatus.badInput;
}

import type { ResolveOptions } from "../scenario/resolve.ts";
import type { Flags } from "./flags.ts";

/** Returns the settings of the scenario that flags give. */
export function settingsOf(flags: Flags): ResolveOptions {
  // Advice on waits compares the step with ablations
  return { ...flags, dataDir: flags.data, bottleneck: flags.bottleneck ?? flags.advice };
}

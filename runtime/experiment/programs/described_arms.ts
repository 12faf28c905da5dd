import type { VariantResult } from "../../result/schema.ts";
import { describeConfig } from "../../scenario/describe.ts";
import type { ResolvedScenario } from "../../scenario/resolve.ts";
import { programConfig } from "./program_config.ts";

/** Returns the variants and programs of a scenario with their settings as plain data. */
export function describedArms(
  { variants, programs, measure }: Pick<ResolvedScenario, "variants" | "programs" | "measure">,
): Pick<VariantResult, "name" | "config">[] {
  return [
    ...variants.map(({ name, config }) => ({ name, config: describeConfig(config) as VariantResult["config"] })),
    ...programs.map((program) => ({ name: program.name, config: programConfig(program, measure) })),
  ];
}

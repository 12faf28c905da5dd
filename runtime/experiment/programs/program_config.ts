import { shellWord } from "../../core/shell_word.ts";
import { PROGRAM_MODE } from "../../report/own_loop.ts";
import type { VariantResult } from "../../result/schema.ts";
import type { ResolvedProgram } from "../../scenario/program.ts";
import type { MeasureConfig } from "../../scenario/schema.ts";

/** Returns the settings of a program, as a variant has them. */
export function programConfig(
  { program: { kind, unit, perStep, ...settings }, words }: ResolvedProgram,
  { steps, skip, rounds }: MeasureConfig,
): VariantResult["config"] {
  const isLine = kind === "command" && typeof settings.command === "string" && words[0] === settings.command;
  return {
    model: null,
    mode: PROGRAM_MODE,
    optimizer: null,
    program: { ...settings, command: isLine ? words[0]! : words.map(shellWord).join(" ") },
    data: { unit },
    samples: perStep,
    measure: "start" in settings && settings.start === "cold" ? { steps: 1, skip: 0, rounds } : { steps, skip, rounds },
  } as unknown as VariantResult["config"];
}

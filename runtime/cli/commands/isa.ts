import { basename } from "node:path";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { readText } from "../../core/files.ts";
import { markedAssembly } from "../../isa/assembly/mix.ts";
import { estimateKernels } from "../../isa/estimate.ts";
import { DEFAULT_GPUS, findGpu } from "../../isa/gpus.ts";
import { adviceTable, failures, loopTable, resourcesTable } from "../../isa/tables.ts";
import type { IsaEstimate, KernelSource } from "../../isa/types.ts";
import type { Overrides } from "../../isa/wgsl/prepare.ts";
import { markdownSection } from "../../report/markdown/table.ts";
import { createPage, renderSection } from "../../report/page.ts";
import type { TableSpec } from "../../report/spec.ts";
import { names } from "../flag_values.ts";
import { checkTarget, stdoutIsData, writeJson } from "../json_output.ts";
import { parseCommand } from "../parse_command.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createPlainCommand } from "./command.ts";

export const define = () =>
  createPlainCommand({
    name: "isa",
    description:
      "Compiles kernels for AMD GPUs that are not here, by Mesa's compiler, and prints registers, spills, waves and " +
      "instructions with advice. An estimate: it sees no caches, bandwidth or clocks, and needs no GPU. Linux only.",
    examples: [
      ["tacho isa kernel.wgsl", "every entry point, for RDNA 2, RDNA 3 and Vega"],
      ['tacho isa kernel.wgsl --gpu "RX 6800,gfx1100"', "GPUs by product, family or target"],
      ["tacho isa kernel.wgsl --asm main", "the assembly of an entry point, with its hottest loop marked"],
      ["tacho isa kernel.wgsl --override TILE=16", "values of override constants"],
      ["tacho isa kernel.wgsl --json -", "print JSON for other programs"],
    ],
  })
    .argument("<file>", "path of a WGSL file")
    .option("--gpu <names>", `GPUs, separated by commas (default: ${DEFAULT_GPUS.join(",")})`, names("--gpu"))
    .option("--kernel <words>", "only kernels whose name contains all of these words")
    .option("--asm <kernel>", "print the assembly of kernels whose name contains this")
    .option("--override <name=value>", "value of an override constant; can be repeated", override)
    .option("--markdown", "print Markdown")
    .option("--json <file>", "write the estimate as JSON; - for stdout");

/** Estimates kernels. Returns 1 if one does not compile. */
export async function run(args: readonly string[]): Promise<number> {
  const command = define();
  if (!parseCommand(command, args)) return ExitStatus.ok;
  const { gpu = DEFAULT_GPUS, asm, json, markdown = false, color, override: overrides = {} } = command.opts();
  const [target] = command.processedArgs;
  if (json !== undefined) await checkTarget(json);
  const gpus = gpu.map(findGpu);
  const sources = kernelsOf(target, overrides);
  const assemblies: string[] = [];
  const estimate = await estimateKernels(sources, {
    gpus,
    onAssembly: ({ kernel, gpu }, assembly) => {
      if (asm === undefined || !kernel.includes(asm)) return;
      assemblies.push(`${kernel} on ${gpu}; ┃ marks the hottest loop\n${markedAssembly(assembly)}\n`);
    },
  });
  if (asm !== undefined && assemblies.length === 0) {
    const known = [...new Set(estimate.rows.map(({ kernel }) => kernel))].join(", ");
    throw new InputError(`--asm ${asm}: no kernel that compiles has this in its name; there are ${known}`);
  }
  if (json !== undefined) writeJson(json, estimate);
  if (!stdoutIsData({ json })) {
    writeOut(asm === undefined ? estimateText(estimate, { markdown, color }) : assemblies.join("\n"));
  }
  return estimate.rows.some(({ error }) => error !== null) ? ExitStatus.gateFailed : ExitStatus.ok;
}

function estimateText(estimate: IsaEstimate, { markdown, color }: { markdown: boolean; color: boolean }): string {
  const page = createPage(lookOfStdout(color));
  const render = <Row>(spec: TableSpec<Row>) => {
    if (spec.rows.length === 0) return [];
    return [...markdown ? markdownSection(spec) : renderSection(page, spec), ""];
  };
  const lines = [
    ...render(resourcesTable(estimate)),
    ...render(loopTable(estimate)),
    ...render(adviceTable(estimate)),
    ...render(failures(estimate)),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

function kernelsOf(target: string, overrides: Overrides): KernelSource[] {
  return [{ name: basename(target), wgsl: readText(target), dispatches: null, overrides }];
}

function override(text: string, before: Overrides = {}): Overrides {
  const [, name, value] = /^(\w+)=(true|false|-?[\d.]+(?:e[+-]?\d+)?)$/i.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InputError(`--override: expected a name and a number, such as TILE=16, got "${text}"`);
  }
  return { ...before, [name]: /^[tf]/i.test(value) ? value === "true" : Number(value) };
}

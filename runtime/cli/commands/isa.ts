import { unmeasuredVariant } from "../../result/unmeasured.ts";
import { basename } from "node:path";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { markedAssembly } from "../../isa/assembly/mix.ts";
import { changesTable, type KernelChange } from "../../isa/differences.ts";
import { estimateKernels } from "../../isa/estimate.ts";
import { DEFAULT_GPUS, findGpu } from "../../isa/gpus.ts";
import { adviceTable, failures, loopTable, resourcesTable } from "../../isa/tables.ts";
import type { IsaEstimate } from "../../isa/types.ts";
import type { Overrides } from "../../isa/wgsl/prepare.ts";
import { worstOf } from "../../isa/worst.ts";
import { readGates } from "../../library/read_gates.ts";
import { markdownSection } from "../../report/markdown/text.ts";
import { createPage, renderSection } from "../../report/page.ts";
import type { TableSpec } from "../../report/spec.ts";
import { names } from "../flag_values.ts";
import { ANNOTATIONS, GATE, GATE_UNDECIDED, JUNIT } from "../gate_flags.ts";
import { judge } from "../gates.ts";
import { compareAgainst, here } from "../isa/against.ts";
import { readTarget, type Target } from "../isa/sources.ts";
import { checkTarget, stdoutIsData, writeJson } from "../json_output.ts";
import { runOf } from "../parse_command.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createPlainCommand } from "./command.ts";

export const define = () =>
  createPlainCommand({
    name: "isa",
    description:
      "Compiles kernels for AMD GPUs that are not here, by Mesa's compiler, and prints registers, spills, waves and " +
      "instructions with advice: those of a WGSL file, or of a step of a Tacho script. An estimate: it sees no caches, " +
      "bandwidth or clocks, and needs no GPU. Linux only.",
    examples: [
      ["tacho isa kernel.wgsl", "every entry point, for RDNA 2, RDNA 3 and Vega"],
      ["tacho isa scripts/gpt.ts amp=O2", "the kernels of a script's step, its own ops among them"],
      ['tacho isa kernel.wgsl --gpu "RX 6800,gfx1100"', "GPUs by product, family or target"],
      ["tacho isa kernel.wgsl --asm main", "the assembly of an entry point, with its hottest loop marked"],
      ["tacho isa train.ts --against main", "what changed since a commit, kernel by kernel"],
      ["tacho isa train.ts --gate 'isa.spills.baseline==0'", "fail if a kernel spills on one of the GPUs"],
    ],
  })
    .argument("<file>", "path of a WGSL file or a script")
    .argument("[settings...]", "settings of the script: key=value")
    .option("--gpu <names>", `GPUs, separated by commas (default: ${DEFAULT_GPUS.join(",")})`, names("--gpu"))
    .option("--variant <name>", "variant of the script (default: its baseline)")
    .option("--kernel <words>", "only kernels whose names contain all of these words")
    .option("--asm <kernel>", "print the assembly of kernels whose name contains this")
    .option("--override <name=value>", "value of an override constant of a WGSL file; can be repeated", override)
    .option("--against <version>", "compare with a commit, another WGSL file, or a file of --json")
    .option("--markdown", "print Markdown")
    .option("--json <file>", "write the estimate as JSON; - for stdout")
    .addOption(GATE)
    .addOption(GATE_UNDECIDED)
    .addOption(ANNOTATIONS)
    .addOption(JUNIT);

type Options = ReturnType<ReturnType<typeof define>["opts"]>;

/** Estimates kernels. Returns 1 if one does not compile, or a gate fails. */
export const run = runOf(define, async (options, [file, settings]) => {
  const { asm, json, against, override: overrides = {}, kernel = "" } = options;
  if (json !== undefined) await checkTarget(json);
  const gpus = (options.gpu ?? DEFAULT_GPUS).map(findGpu);
  const words = kernel.split(/\s+/).filter((word) => word !== "");
  const target: Target = { file, args: settings, variant: options.variant ?? null, overrides, words };
  const { variant, kernels } = await readTarget(target, here());
  const gates = options.gate === undefined ? null : await readGates(options.gate, {
    ...{ scenario: basename(file), variants: [variant], adapter: () => Promise.resolve(null), run: null },
  });
  const assemblies: string[] = [];
  const estimate = await estimateKernels(kernels, {
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
  const changes = against === undefined ? null : await compareAgainst(estimate, against, target, gpus);
  if (json !== undefined) writeJson(json, changes === null ? estimate : { ...estimate, changes });
  if (!stdoutIsData({ json })) writeOut(asm === undefined ? textOf(estimate, changes, options) : assemblies.join("\n"));
  const gated = { ...unmeasuredVariant(variant, {} as never), isa: worstOf(estimate.rows) };
  const status = await judge({
    ...{ scenario: basename(file), file, gates, result: null, command: null },
    gated: { baseline: variant, variants: [gated] },
  }, options);
  return estimate.rows.some(({ error }) => error !== null) ? ExitStatus.gateFailed : status;
});

function textOf(
  estimate: IsaEstimate,
  changes: readonly KernelChange[] | null,
  { markdown, color, against }: Options,
): string {
  const page = createPage(lookOfStdout(color));
  const render = <Row>(spec: TableSpec<Row>) =>
    spec.rows.length === 0 ? [] : [...markdown ? markdownSection(spec) : renderSection(page, spec), ""];
  const lines = changes === null
    ? [
      ...render(resourcesTable(estimate)),
      ...render(loopTable(estimate)),
      ...render(adviceTable(estimate)),
      ...render(failures(estimate)),
    ]
    : [
      ...changes.length === 0 ? [`No kernel differs from ${against}`] : render(changesTable(changes, against!)),
      ...render(failures(estimate)),
    ];
  return `${lines.join("\n").trimEnd()}\n`;
}

function override(text: string, before: Overrides = {}): Overrides {
  const [, name, value] = /^(\w+)=(true|false|-?[\d.]+(?:e[+-]?\d+)?)$/i.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InputError(`--override: expected a name and a number, such as TILE=16, got "${text}"`);
  }
  return { ...before, [name]: /^[tf]/i.test(value) ? value === "true" : Number(value) };
}

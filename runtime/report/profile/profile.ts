import { memoryPeak } from "../../analysis/memory_points.ts";
import { isProgram, noModelReason } from "../own_loop.ts";
import type { OpRecord, Result, Roofline, VariantResult } from "../../result/schema.ts";
import { formatCounted, MISSING } from "../format.ts";
import { copiesTable, cpuTable, hostTable, noCpu, rangesTable } from "./host.ts";
import { kernelsTable } from "../attach/tables.ts";
import { profiledPrograms } from "../programs/attached.ts";
import { memoryTable } from "./memory.ts";
import { groupTable, type OpsOptions, opsTable } from "./ops.ts";
import { createPage, type LookOptions, type Page, quiet, renderSection } from "../page.ts";
import { allReduceLines, phaseLines } from "./phases.ts";
import { rooflineTable } from "./roofline.ts";
import { nameInProse } from "../plain_text.ts";
import type { Column } from "../spec.ts";
import { stepTraceTable } from "./step_trace.ts";
import { untimed } from "./trust.ts";
import { wrap } from "../wrap.ts";

export interface ProfileOptions extends LookOptions, Omit<OpsOptions, "peaks"> {
  /** 0: nothing; 1: phases and the step trace; 2: also ops, host, memory and the rest; 3: also all-reduces. */
  verbosity: 0 | 1 | 2 | 3;
  /** Gives each op one line, without its shapes, kernels and members, and leaves out what is not about ops. Default false. */
  brief?: boolean;
}

/** Line in place of what a brief profile leaves out. */
const REST =
  "--verbosity 3 and --report have every op with its shapes and kernels, roofline, host, copies, memory and CPU";

/** Renders the profile of each variant. */
export function renderProfile(result: Result, options: ProfileOptions): string {
  if (options.verbosity === 0) return "";
  const page = createPage(options);
  const profiles = result.variants.map((variant) => {
    const parts = [heading(page, result, variant), ...sections(page, variant, result.roofline, options)];
    return "\n" + parts.filter((lines) => lines.length > 0).map((lines) => `${lines.join("\n")}\n`).join("\n");
  });
  const more = options.brief === true && options.verbosity > 1 ? `\n${quiet(page, REST).join("\n")}\n` : "";
  return profiles.join("") + more;
}

function sections(
  page: Page,
  variant: VariantResult,
  roofline: Roofline | null,
  options: ProfileOptions,
): string[][] {
  const { blocks, profile } = variant;
  if (blocks.length === 0 && profile === null) return [];
  const brief = [isProgram(variant.config) ? [] : phaseLines(blocks), renderSection(page, stepTraceTable(variant))];
  if (options.verbosity === 1) return brief;
  const isBrief = options.brief === true;
  const ops = opsTable(variant, { ...options, peaks: isBrief ? null : roofline?.peaks ?? null });
  return [
    ...brief,
    ...profiledPrograms({ variants: [variant] }).map(({ device }) =>
      renderSection(page, kernelsTable(device, options.top ?? device.kernels.length))
    ),
    variant.ops.length === 0 && variant.attached === undefined ? [`Ops: ${MISSING}, ${whyNoOps(variant)}`] : [],
    renderSection(page, isBrief ? { ...ops, columns: ops.columns.filter(isInRow) } : ops),
    ...options.groupBy.map((by) => {
      const groups = groupTable(variant, by, options);
      return renderSection(page, isBrief ? { ...groups, notes: [] } : groups);
    }),
    ...isBrief ? [] : rest(page, variant, roofline, options),
  ];
}

/** Returns the sections that a brief profile leaves out. */
function rest(page: Page, variant: VariantResult, roofline: Roofline | null, options: ProfileOptions): string[][] {
  const { profile } = variant;
  const idle = profile && noCpu(profile);
  return [
    roofline === null ? [] : renderSection(page, rooflineTable(roofline, variant, options.top)),
    renderSection(page, hostTable(variant)),
    renderSection(page, copiesTable(variant)),
    memoryPeak(profile?.memory ?? []) === null ? [] : renderSection(page, memoryTable(variant)),
    idle === null ? renderSection(page, cpuTable(variant)) : quiet(page, `CPU use: ${MISSING}, ${idle}`),
    renderSection(page, rangesTable(variant)),
    options.verbosity < 3 ? [] : allReduceLines(variant, variant.ops.length),
  ];
}

function isInRow({ below }: Column<OpRecord>): boolean {
  return below === undefined;
}

/** Returns `baseline: 30 measured steps after 3 warm-up steps`; the warm-up can be longer than `skip`. */
function heading({ paint, width }: Page, result: Result, variant: VariantResult): string[] {
  const steps = variant.blocks.reduce((sum, block) => sum + block.steps.length, 0);
  const skipped = variant.blocks[0]?.steps[0]?.index;
  const words = variant.error !== null
    ? `failed: ${variant.error.message}`
    : steps === 0
    ? "no step was measured"
    : formatCounted(steps, "measured step") +
      (skipped === undefined ? "" : ` after ${formatCounted(skipped, "warm-up step")}`);
  const why = untimed(result);
  return [
    ...wrap(`${nameInProse(variant.name)}: ${words}`, width).map((line) => paint(line, "title")),
    ...why === null ? [] : wrap(why, width).map((line) => paint(line, "warning")),
  ];
}

function whyNoOps({ config, parameters, profile, status }: VariantResult): string {
  if (parameters === null) return noModelReason(config);
  if (status !== "ok") return "the variant ended before its profiled steps";
  return profile === null ? "no steps were profiled" : "the adapter reported no op times";
}

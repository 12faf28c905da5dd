/**
 * One or several numbers per row of a matrix `[n, width]`. A row is computed by one lane on software adapters and by a
 * workgroup on GPUs.
 *
 * @module
 */
import {
  type BufferRef,
  defineKernel,
  type KernelPlan,
  LINEAR_INDEX,
  linearGrid,
  type UniformValue,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { type StepLoop, stepOfRow } from "./loop_limit.ts";
import { powerOfTwoBelow, TEAM_SIZE, teamFold } from "./team.ts";

/** Invocations per workgroup if each lane computes whole rows. */
const LANES = 64;

/** Numbers of a row per invocation on GPUs. */
const SHARE = 4;
/** Least invocations of a row on GPUs, and of a workgroup, which has several short rows. */
const LEAST = 8;
const WORKGROUP = 64;

export interface RowNumbersOptions {
  readonly name: string;
  readonly n: number;
  readonly width: number;
  readonly traits: DeviceTraits;
  /** Tensors to read, by their names in the code. */
  readonly reads: Readonly<Record<string, { readonly ref: BufferRef; readonly type: string }>>;
  /** Fields of `u` in addition to `n` and `width`. */
  readonly uniforms?: Readonly<Record<string, UniformValue>>;
  readonly prelude?: string;
  /** Variables of the body that are written to outputs 0, 1, ...; `["y"]` by default. */
  readonly results?: readonly string[];
  /**
   * WGSL that computes the results of row `row`, whose first element has index `first`. An invocation takes the elements
   * `k = member`, `member + members`, ...; `rowSum(value, seat)` and `rowMax(value, seat)` combine an f32 of all
   * members, which must call them together. Loops over a row are {@linkcode elementsOf} it.
   */
  readonly body: string;
}

/**
 * Returns the loop of an invocation over the elements of a row.
 *
 * @param times loops of this kind in the body
 * @param each elements that the code of the loop takes at once
 */
export function elementsOf(width: number, times: number, traits: DeviceTraits, each = 1): StepLoop {
  const [first, by] = each === 1 ? ["member", "members"] : [`${each}u * member`, `${each}u * members`];
  return { first, by, end: "u.width", step: stepOfRow(width / each, times, traits) };
}

/** Returns the plan that writes the results of every row to the outputs, each f32 `[n]`. */
export function rowNumbers(options: RowNumbersOptions): KernelPlan {
  const { name, n, width, traits, reads, body, results = ["y"] } = options;
  const alone = traits.class === "cpu";
  const members = alone ? 1 : Math.max(LEAST, powerOfTwoBelow(Math.min(TEAM_SIZE, Math.max(1, width / SHARE))));
  const rows = alone ? 1 : Math.ceil(WORKGROUP / members);
  const team = { columns: rows, members };
  const size = alone ? LANES : members * rows;
  const join = alone
    ? `fn rowSum(value: f32, seat: u32) -> f32 { return value; }
fn rowMax(value: f32, seat: u32) -> f32 { return value; }`
    : `${teamFold("rowSum", team, "f32", (a, b) => `${a} + ${b}`)}
${teamFold("rowMax", team, "f32", (a, b) => `max(${a}, ${b})`)}`;
  const kernel = defineKernel({
    name,
    buffers: {
      ...reads,
      ...Object.fromEntries(results.map((result, output) => [`${result}_`, { ref: { output }, type: "f32" }])),
    },
    uniforms: { n, width, ...options.uniforms },
    workgroupSize: [size],
    grid: linearGrid(alone ? n : Math.ceil(n / rows) * size, size, traits.maxWorkgroupsPerDimension),
    prelude: `const members = ${members}u;\n${join}\n${options.prelude ?? ""}`,
    // All rows of a workgroup meet at barriers, those past the last too, which read that one again
    body: `${
      alone
        ? `  let row = ${LINEAR_INDEX(LANES)};
  if (row >= u.n) { return; }
  let member = 0u;
  let seat = 0u;`
        : `  let wanted = (wid.y * grid.x + wid.x) * ${rows}u + lix / members;
  let row = min(wanted, u.n - 1u);
  let member = lix % members;
  let seat = member * ${rows}u + lix / members;`
    }
  let first = row * u.width;
  ${body}
  if (${alone ? "true" : "member == 0u && wanted < u.n"}) { ${
      results.map((result) => `${result}_[row] = ${result};`).join(" ")
    } }`,
  });
  return { name, kernels: [kernel], workspace: [] };
}

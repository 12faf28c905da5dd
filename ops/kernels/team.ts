/**
 * Teams of invocations within a workgroup on GPUs. The invocations form columns: those side by side read neighbours in
 * memory, and the members of a column combine their results by a tree in workgroup memory, in a fixed order.
 *
 * @module
 */
import { unroll } from "./unroll.ts";

/** Maximum invocations per workgroup, which every adapter grants. */
export const TEAM_SIZE = 256;

/** Maximum vectors that a workgroup reads side by side: 512 bytes in f32, which fills a subgroup. */
const SIDE_BY_SIDE = 32;

export interface Team {
  /** Invocations side by side. */
  readonly columns: number;
  /** Invocations per column: a power of two. */
  readonly members: number;
}

/** Returns the team for rows of `columns` neighbours, which it covers whole or in equal parts. */
export function teamOf(columns: number): Team {
  const side = Math.ceil(columns / Math.ceil(columns / SIDE_BY_SIDE));
  return { columns: side, members: powerOfTwoBelow(TEAM_SIZE / side) };
}

/** Returns the largest power of two that is at most `n`; `n` must be at least 1. */
export function powerOfTwoBelow(n: number): number {
  return 2 ** Math.floor(Math.log2(n));
}

/**
 * Returns WGSL of `teamSum(value, lix)`, the sum over the members of the invocation's column. All invocations of the
 * workgroup must call it together, those without a value with 0.
 *
 * @param type of the values
 */
export function teamSum(team: Team, type: string): string {
  return teamFold("teamSum", team, type, (a, b) => `${a} + ${b}`);
}

/** Returns WGSL of a function `name` like {@linkcode teamSum} for another associative operation. */
export function teamFold(
  name: string,
  { columns, members }: Team,
  type: string,
  join: (a: string, b: string) => string,
): string {
  const memory = `${name}Values`;
  const steps = Math.log2(members);
  return `var<workgroup> ${memory}: array<${type}, ${columns * members}>;
fn ${name}(value: ${type}, lix: u32) -> ${type} {
  workgroupBarrier();
  ${memory}[lix] = value;
${
    unroll(steps, (step) => {
      const half = columns * members / 2 ** (step + 1);
      return `  workgroupBarrier();
  if (lix < ${half}u) { ${memory}[lix] = ${join(`${memory}[lix]`, `${memory}[lix + ${half}u]`)}; }`;
    })
  }
  workgroupBarrier();
  return ${memory}[lix % ${columns}u];
}`;
}

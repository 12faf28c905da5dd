import { percent, type Rule } from "./rule.ts";
import { lineOf } from "../wgsl/lines.ts";

/** Waves of a SIMD below which the latency of memory shows. */
const ENOUGH_WAVES = 4;

/** Registers that went to memory. */
export const spills: Rule = ({ figures: { spilledVector, spilledScalar, scratch, loop, whole }, lines }) => {
  if ((spilledVector ?? 0) === 0 && (scratch ?? 0) === 0) return null;
  const mix = loop ?? whole;
  const share = mix === null ? 0 : mix.scratch / mix.all;
  return {
    line: lineOf(lines, /\bvar\s+\w+\s*(?::\s*array<|=\s*array)/),
    finding:
      `${spilledVector ?? 0} vector and ${spilledScalar ?? 0} scalar registers spill; ${scratch ?? 0} bytes of ` +
      `scratch memory per lane, ${percent(share)} of the hottest loop`,
    change: "keep fewer sums per lane, or index local arrays by constants only",
    share: Math.max(share, 0.1),
  };
};

/** Too few waves to hide the latency of memory. */
export const fewWaves: Rule = ({ figures, gpu: { resources }, lines }) => {
  const { waves, maxWaves, limit, vectorRegisters, lds, workgroup, lanes } = figures;
  if (waves === null || waves >= ENOUGH_WAVES || limit === "none" || limit === null || lanes === null) return null;
  const finding = `${Number(waves.toFixed(1))} of ${maxWaves} waves`;
  const share = 1 - waves / ENOUGH_WAVES;
  if (limit === "LDS") {
    const groups = Math.ceil(ENOUGH_WAVES * resources.simds / Math.ceil(workgroup / lanes));
    return {
      line: lineOf(lines, /\bvar\s*<\s*workgroup\s*>/),
      finding: `${finding}: ${lds} bytes of LDS per workgroup`,
      change:
        `at most ${
          Math.floor(resources.lds / groups)
        } bytes would allow ${ENOUGH_WAVES} waves: a smaller tile, f16, or ` +
        "arrays that share their memory",
      share,
    };
  }
  return {
    line: lineOf(lines, /@workgroup_size/),
    finding: limit === "workgroup"
      ? `${finding}: a workgroup of ${workgroup} fits only as a whole`
      : `${finding}: ${vectorRegisters} vector registers`,
    change: limit === "workgroup" ? "a smaller workgroup" : "fewer values that live across the loop, or a smaller tile",
    share,
  };
};

/** Lanes without an invocation. */
export const idleLanes: Rule = ({ figures: { workgroup, lanes }, lines }) => {
  if (lanes === null || workgroup % lanes === 0) return null;
  const idle = 1 - workgroup / (Math.ceil(workgroup / lanes) * lanes);
  return {
    line: lineOf(lines, /@workgroup_size/),
    finding: `a workgroup of ${workgroup} leaves ${percent(idle)} of the lanes of its waves of ${lanes} idle`,
    change: `a multiple of ${lanes} invocations, with several rows per workgroup if one has too few elements`,
    share: idle,
  };
};

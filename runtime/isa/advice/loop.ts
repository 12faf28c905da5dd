import { lineOf, namesOf } from "../wgsl/lines.ts";
import { percent, type Rule } from "./rule.ts";

/** Instructions of the hottest loop, from which a kind is worth a change. */
const LEAST = 4;
const LEAST_SHARE = 0.04;
/** Time of an integer multiplication of 32 bits, in that of an addition. */
const MULTIPLICATION = 4;

/** Loads of single values where a lane could load four. */
export const scalarLoads: Rule = ({ figures: { loop }, lines }) => {
  if (loop === null || loop.loads32 < LEAST || loop.loads32 <= loop.loads128 + loop.loads64) return null;
  const scalars = namesOf(lines, /\bvar\s*<\s*storage[^>]*>\s*(\w+)\s*:\s*array<\s*(?:[fiu]32|f16)\s*>/g);
  const name = scalars.length === 0 ? "\\w+" : `(?:${scalars.join("|")})`;
  return {
    line: lineOf(lines, new RegExp(`\\b${name}\\s*\\[`), 1),
    finding: `${loop.loads32} loads of 32 bits or less in the hottest loop of ${loop.all} instructions, ` +
      `${loop.loads128} of 128`,
    change: "declare the array as vec4 and load four neighbours at once",
    share: 0.75 * loop.loads32 / loop.all,
  };
};

/** Integer multiplications: rows times strides, and divisions by values that are not constant. */
export const integerArithmetic: Rule = ({ figures: { loop }, lines }) => {
  if (loop === null) return null;
  const { integerMultiplications, divisions } = loop;
  const share = Math.min(1, MULTIPLICATION * integerMultiplications / loop.all);
  if (divisions === 0 && (integerMultiplications < LEAST || share < LEAST_SHARE)) return null;
  const divides = /[\w)\]]\s*[/%]=?\s*(?![\d.]+u?\b)[\w(]/;
  return {
    line: lineOf(lines, divides, 1) ?? lineOf(lines, /[\w)\]]\s*\*\s*\w/, 1),
    finding: `${integerMultiplications} integer multiplications in the hottest loop of ${loop.all} instructions` +
      (divisions > 0 ? `, with ${divisions} divisions by a value that is not constant` : ""),
    change: "carry the offset from one iteration to the next by an addition, or divide before the loop",
    share,
  };
};

/** Indices into workgroup memory, which WebGPU clamps. */
export const clampedIndices: Rule = ({ figures: { loop }, lines }) => {
  if (loop === null || loop.clamps < LEAST) return null;
  const reads = loop.lds32 + loop.lds64 + loop.lds128;
  const share = loop.clamps / loop.all;
  if (reads === 0 || share < LEAST_SHARE) return null;
  const shared = namesOf(lines, /\bvar\s*<\s*workgroup\s*>\s*(\w+)/g);
  return {
    line: shared.length === 0 ? null : lineOf(lines, new RegExp(`\\b(?:${shared.join("|")})\\s*\\[`), 1),
    finding: `${loop.clamps} clamps of indices in the hottest loop, ${percent(share)} of its instructions`,
    change:
      "nested arrays whose inner indices are constants, so that one clamp serves several neighbours and they load " +
      "as one vector",
    share,
  };
};

/** Arithmetic in f16 one value at a time. */
export const unpackedHalf: Rule = ({ figures: { loop, whole }, lines }) => {
  const mix = loop ?? whole;
  if (mix === null || mix.f16 < LEAST || mix.packedF16 > 0) return null;
  return {
    line: lineOf(lines, /\bf16\b|\bvec[234]h\b/),
    finding: `${mix.f16} instructions in f16 and none packed`,
    change: "compute in vec2<f16> or vec4<f16>, whose pairs take one instruction",
    share: 0.5 * mix.f16 / mix.all,
  };
};

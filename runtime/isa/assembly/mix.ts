import { type Assembly, innermost, type Instruction, type Loop, parseAssembly } from "./instructions.ts";

/** Kinds of instructions, by their mnemonics in GFX6 to GFX12. An instruction may be of several. */
const KINDS = {
  /** Multiply-adds of a lane in f32, in f16, and of packed pairs in f16. */
  multiplyAdds: /^v_(dual_)?(fma|fmac|mac|mad|fmaak|fmamk|madak|madmk)_(legacy_)?f(32|16)|^v_(fma|mad)_mix/,
  packedMultiplyAdds: /^v_pk_(fma|fmac|mad)_f16|^v_dot2\w*_f32_f16|^v_dot2c?_f32_f16/,
  /** All arithmetic in f16, and that of pairs. */
  f16: /^v_(pk_)?(fma\w*|ma[cdx]|add_|su[b_]\w*|mul_|min)_?(legacy_)?f16/,
  packedF16: /^v_pk_\w+_f16/,
  conversions: /^v_cvt_/,
  clamps: /^v_(min|min3|med3)_[ui]32|^v_min_[ui]16/,
  integerMultiplications: /^v_(mul_lo|mul_hi|mad_u64|mad_i64|mad_co)_/,
  /** Integer divisions by a value that is not constant take a reciprocal in f32. */
  divisions: /^v_rcp_iflag_f32/,
  selects: /^v_(dual_)?cndmask/,
  loads32: /^(buffer|global|flat)_load_(dword|b32|[us](byte|short|8|16|b16)|[ui](8|16)|short|d16|format)(?!x)\w*/,
  loads64: /^(buffer|global|flat)_load_(dwordx2|b64)/,
  loads96: /^(buffer|global|flat)_load_(dwordx3|b96)/,
  loads128: /^(buffer|global|flat)_load_(dwordx4|b128)/,
  stores: /^(buffer|global|flat)_store/,
  images: /^image_/,
  scratch: /^scratch_|^buffer_(load|store)\w* .*\boffen\b.*\bswz\b/,
  lds32: /^ds_(read|write|load|store)_([ui]?8|[ui]?16|b8|b16|b32|[ui](8|16)_d16)/,
  lds64: /^ds_(read|write|load|store)_b64|^ds_(read2|write2)(st64)?_b32|^ds_(load|store)_2addr(_stride64)?_b32/,
  lds128: /^ds_(read|write|load|store)_b(96|128)|^ds_(read2|write2)(st64)?_b64|^ds_(load|store)_2addr(_stride64)?_b64/,
  barriers: /^s_barrier/,
  waits: /^s_wait/,
} as const;

export type Kind = keyof typeof KINDS;

/** Number of instructions by kind, with all of them. */
export type Mix = Readonly<Record<Kind | "all", number>>;

/** Instructions of a kernel. */
export interface Analysis {
  readonly whole: Mix;
  /** The loop that multiplies and adds most, or else the longest one; null without a loop. */
  readonly loop: Mix | null;
  /** Lines of that loop. */
  readonly hot: Loop | null;
}

/** Counts instructions by kind. */
export function mixOf(instructions: readonly Instruction[]): Mix {
  const mix: Record<string, number> = { all: instructions.length };
  for (const [kind, pattern] of Object.entries(KINDS)) {
    mix[kind] = instructions.filter(({ text }) => pattern.test(text)).length;
  }
  return mix as Mix;
}

/** Returns the multiply-adds of a lane. A packed one is two; packed additions and products are none. */
export function multiplyAdds({ multiplyAdds, packedMultiplyAdds }: Mix): number {
  return multiplyAdds + 2 * packedMultiplyAdds;
}

/** Counts the instructions of a kernel and of its hottest loop, from its assembly. */
export function analyse(text: string): Analysis {
  const assembly = parseAssembly(text);
  const loops = innermost(assembly.loops).map((loop) => ({ loop, mix: mixOf(within(assembly, loop)) }));
  const [hottest] = loops.sort((a, b) => multiplyAdds(b.mix) - multiplyAdds(a.mix) || b.mix.all - a.mix.all);
  return { whole: mixOf(assembly.instructions), loop: hottest?.mix ?? null, hot: hottest?.loop ?? null };
}

function within({ instructions }: Assembly, { first, last }: Loop): Instruction[] {
  return instructions.filter(({ line }) => line >= first && line <= last);
}

/** Returns assembly without encodings, with a bar beside the lines of its hottest loop. */
export function markedAssembly(text: string): string {
  const { hot } = analyse(text);
  return text.trimEnd().split("\n").map((line, i) => {
    const isHot = hot !== null && i >= hot.first && i <= hot.last;
    return `${isHot ? "┃" : " "} ${line.split(";")[0]!.trimEnd().replaceAll("\t", "  ")}`;
  }).join("\n");
}

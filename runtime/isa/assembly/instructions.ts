/** An instruction of a kernel, or one half of a pair that is issued together. */
export interface Instruction {
  /** Mnemonic and operands, without the encoding. */
  readonly text: string;
  /** Line of the assembly, from 0. */
  readonly line: number;
}

/** Part of a kernel that repeats: the lines from its first block to the jump back. */
export interface Loop {
  readonly first: number;
  readonly last: number;
}

/** Assembly of a kernel in parts. */
export interface Assembly {
  readonly lines: readonly string[];
  readonly instructions: readonly Instruction[];
  readonly loops: readonly Loop[];
}

/** Hints for the scheduler of GFX11, beside which the next instruction is issued. */
const HINT = /^s_delay_alu\b/;

/** Splits the assembly that RADV prints into instructions and loops. */
export function parseAssembly(text: string): Assembly {
  const lines = text.split("\n");
  const labels = new Map<string, number>();
  const instructions: Instruction[] = [];
  const loops = new Map<number, number>();
  lines.forEach((whole, line) => {
    const label = /^(BB\d+):/.exec(whole)?.[1];
    if (label !== undefined) labels.set(label, line);
    const times = /^\s+\(then repeated (\d+) times\)/.exec(whole)?.[1];
    const last = instructions.at(-1);
    if (times !== undefined && last !== undefined) {
      for (let i = 0; i < Number(times); i++) instructions.push({ ...last, line });
    }
    const code = /^\s+([a-z].*)/.exec(whole)?.[1]?.split(";")[0];
    if (code === undefined || HINT.test(code)) return;
    // GFX11 issues two at once: v_dual_fmac_f32 ... :: v_dual_fmac_f32 ...
    for (const part of code.split("::")) instructions.push({ text: part.trim(), line });
    const target = labels.get(/^s_c?branch\w*\s+(BB\d+)/.exec(code)?.[1] ?? "");
    if (target !== undefined) loops.set(target, line); // a jump back; the last one ends the loop
  });
  return { lines, instructions, loops: [...loops].map(([first, last]) => ({ first, last })) };
}

/** Returns the loops without another loop inside. */
export function innermost(loops: readonly Loop[]): Loop[] {
  return loops.filter((loop) =>
    !loops.some((other) => other !== loop && other.first >= loop.first && other.last <= loop.last)
  );
}

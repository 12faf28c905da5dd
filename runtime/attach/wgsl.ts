/**
 * Reads entry points from WGSL without compiling it, and describes a kernel in a few words.
 *
 * @module
 */

/** Functions of WGSL that characterise a kernel, in the order in which a name lists them. */
const CHARACTERISTIC =
  "exp exp2 log log2 tanh sin cos erf sqrt inverseSqrt pow atomicAdd atomicMax dot max min abs clamp select"
    .split(" ");

/** Operators and their names. */
const OPERATORS = "* multiply, / divide, + add, - subtract".split(", ")
  .map((pair) => pair.split(" ") as [sign: string, name: string]);

/** Most functions that a name lists. */
const MAX_FUNCTIONS = 3;

/** Removes comments. Those of WGSL nest; one level is enough for names. */
function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, " ").replace(/\/\/[^\n]*/g, " ");
}

/** Returns the names of the entry points for compute, in the order of the code. */
export function computeEntryPoints(code: string): string[] {
  return [...withoutComments(code).matchAll(/@compute\b[^{};]*?\bfn\s+([\p{XID_Start}_][\p{XID_Continue}]*)/gu)]
    .map(([, name]) => name!);
}

/**
 * Describes what an entry point does, from its WGSL: `multiply-add loop, shared memory`, `map exp, tanh`, `copy`. It reads
 * the function and the functions that it calls.
 */
export function describeKernel(code: string, entryPoint: string): string {
  const source = withoutComments(code);
  const body = reachableCode(source, entryPoint);
  const loops = (body.match(/\b(for|while|loop)\b/g) ?? []).length;
  const calls = CHARACTERISTIC.filter((name) => new RegExp(`\\b${name}\\s*[(<]`).test(body)).slice(0, MAX_FUNCTIONS);
  const shared = /\bworkgroupBarrier\b/.test(body) ? ["shared memory"] : [];
  const subgroups = /\bsubgroup[A-Z]\w*\s*\(/.test(body) ? ["subgroups"] : [];
  return [accumulation(body, loops) ?? map(body, calls), ...shared, ...subgroups].join(", ");
}

/** Names the accumulation of a loop; null if nothing is accumulated. */
function accumulation(body: string, loops: number): string | null {
  if (loops === 0) return null;
  if (/\bfma\s*\(/.test(body) || /\bdot\s*\(/.test(body)) return "multiply-add loop";
  const bare = body.replace(/\bfor\s*\([^;]*;[^;]*;[^{]*\{/g, "{"); // without the steps of counters
  const sums = [...bare.matchAll(/([\w.[\]]+)\s*(?:\+=\s*([^;]+);|=\s*\1\s*\+\s*([^;]+);)/g)]
    .map(([, name, added, other]) => ({ name: name!, added: (added ?? other)!.trim() }))
    .filter(({ added }) => !/^(1|1u|1i|[\w.]*[sS]tride|[A-Z_\d]+u?)$/.test(added));
  if (sums.some(({ added }) => /\*/.test(added))) return "multiply-add loop";
  if (/\bexp2?\s*\(/.test(body) && /\bmax\s*\(/.test(body)) return "max, exp and sum loop";
  if (sums.length > 0) return "sum loop";
  if (/=\s*max\s*\(/.test(body)) return "max loop";
  if (/=\s*min\s*\(/.test(body)) return "min loop";
  return "loop";
}

/** Names an elementwise kernel by its functions or operators. */
function map(body: string, calls: readonly string[]): string {
  if (calls.length > 0) return `map ${calls.join(", ")}`;
  const stored = body.split(/[;{}]/).map((statement) => statement.replace(/\[[^\]]*\]/g, "").trim())
    .map((statement) => /^(?!(?:let|var|const)\b)[\w.]+\s*=(?!=)(.+)$/s.exec(statement)?.[1] ?? "");
  const used = OPERATORS.filter(([sign]) => stored.some((value) => value.includes(sign))).map(([, name]) => name);
  return used.length > 0 ? `map ${used.join(", ")}` : "copy";
}

/** Returns the bodies of a function and of all functions that it calls. */
function reachableCode(source: string, entryPoint: string): string {
  const bodies = new Map<string, string>();
  for (const match of source.matchAll(/\bfn\s+([\p{XID_Start}_][\p{XID_Continue}]*)\s*\(/gu)) {
    bodies.set(match[1]!, bodyFrom(source, match.index + match[0].length));
  }
  const reached = new Set<string>([entryPoint]);
  for (const name of reached) {
    for (const [, called] of (bodies.get(name) ?? "").matchAll(/\b([\p{XID_Start}_][\p{XID_Continue}]*)\s*\(/gu)) {
      if (bodies.has(called!)) reached.add(called!);
    }
  }
  return [...reached].map((name) => bodies.get(name) ?? "").join("\n");
}

/** Returns the text between the braces that follow a place. */
function bodyFrom(source: string, from: number): string {
  const open = source.indexOf("{", from);
  if (open < 0) return "";
  let depth = 0;
  for (let i = open; i < source.length; i++) {
    if (source[i] === "{") depth++;
    else if (source[i] === "}" && --depth === 0) return source.slice(open + 1, i);
  }
  return source.slice(open + 1);
}

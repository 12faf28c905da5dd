/**
 * Names in the WGSL of an op's kernels.
 *
 * @module
 */
import { suggestion } from "../../core/nearest.ts";
import { opError } from "./problem.ts";

/** Keywords of WGSL, and words that it reserves; neither can be a name. */
const WGSL_WORDS: ReadonlySet<string> = new Set(
  ("alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let " +
    "loop override requires return struct switch true var while " +
    "NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast catch class " +
    "co_await co_return co_yield coherent column_major common compile compile_fragment concept const_cast consteval " +
    "constexpr constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit export " +
    "extends extern external fallthrough filter final finally friend from fxgroup get goto groupshared highp impl " +
    "implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut " +
    "mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of " +
    "operator package packoffset partial pass patch pixelfragment precise precision premerge priv protected pub public " +
    "readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm " +
    "static static_assert static_cast std subroutine super target template this thread_local throw trait try type " +
    "typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where " +
    "with writeonly yield").split(" "),
);

/** Names that the generated code declares. */
const TAKEN = ["u", "gid", "lid", "wid", "lix", "grid", "index", "group", "main", "Uniforms"];
const NAME = /^[a-zA-Z]\w*$/;

/** @throws {InputError} if a name of a tensor or uniform cannot be used in WGSL, or occurs twice */
export function checkNames(type: string, kind: string, names: readonly string[]): void {
  names.forEach((name, i) => {
    if (!NAME.test(name) || name.includes("__")) {
      throw opError(type, `${kind} "${name}": expected a name of letters, digits and underscores, such as x`);
    }
    if (TAKEN.includes(name)) {
      throw opError(type, `${kind} "${name}": the generated code uses this name; choose another`);
    }
    if (WGSL_WORDS.has(name)) throw opError(type, `${kind} "${name}": WGSL reserves this word; choose another name`);
    if (names.indexOf(name) < i) throw opError(type, `${kind} "${name}": occurs twice; rename one of them`);
  });
}

/** Names that code may refer to. */
export interface KnownNames {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly uniforms: readonly string[];
}

/**
 * Checks the accesses in a kernel's code, which a WGSL compiler would report in terms of the generated code.
 *
 * @throws {InputError} naming the op, the kernel and the name that is unknown or must not be written
 */
export function checkAccesses(type: string, kernel: string, code: string, known: KnownNames): void {
  const { readable, writable, uniforms } = known;
  const text = withoutComments(code);
  const fail = (message: string) => opError(type, `kernel "${kernel}": ${message}`);
  if (/@compute\b|\bfn\s+main\b/.test(text)) {
    throw fail("code is the body of the kernel alone; remove @compute and fn main, and put functions in declarations");
  }
  for (const [call, access, name] of text.matchAll(/\b(load|store)_(\w+)\s*\(/g)) {
    if (new RegExp(`\\bfn\\s+${access}_${name}\\s*\\(`).test(text)) continue;
    if (!readable.includes(name!)) {
      throw fail(`${call}) names no tensor of the op${suggestion(name!, readable)}`);
    }
    if (access === "store" && !writable.includes(name!)) {
      throw fail(`${call}) writes an input; kernels write ${writable.join(", ")}`);
    }
  }
  for (const [, name] of text.matchAll(/\bu\.([a-zA-Z_]\w*)/g)) {
    if (uniforms.includes(name!)) continue;
    throw fail(`\`uniforms\` returns no "${name}", which the code reads as u.${name}${suggestion(name!, uniforms)}`);
  }
}

/** Returns true if code refers to a tensor by its name or its accessors. */
export function refersTo(code: string, name: string): boolean {
  return new RegExp(`\\b(?:load_|store_)?${name}\\b`).test(withoutComments(code));
}

/** Returns true if code may write a tensor: it calls the accessor, assigns to an element or takes its address. */
export function writes(code: string, name: string): boolean {
  return new RegExp(`\\bstore_${name}\\s*\\(|\\b${name}\\s*\\[|&\\s*${name}\\b`).test(withoutComments(code));
}

function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, " ");
}

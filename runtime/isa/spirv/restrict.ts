import { codeOf, instruction, joinModule, Op, parseModule, Storage } from "./module.ts";

/** Instructions in functions that have no result: barriers, stores, merges, branches, lines. */
const WITHOUT_RESULT = new Set([
  0,
  8,
  62,
  63,
  64,
  99,
  224,
  225,
  228,
  246,
  247,
  248,
  249,
  250,
  251,
  252,
  253,
  254,
  255,
  317,
]);

/** Storage classes whose pointers lead to memory that robustBufferAccess2 does not protect. */
const CHECKED: ReadonlySet<number> = new Set([Storage.workgroup, Storage.private, Storage.function]);

const [EXTENDED, UMIN] = [12, 38];

/**
 * Clamps indices into arrays, vectors and matrices outside of buffers, as wgpu has naga do (bounds check policy
 * "Restrict"). Drivers with robustBufferAccess2, such as RADV, take care of buffers. Returns a module without such an
 * index as it is.
 */
export function restrict(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { header, instructions } = parseModule(bytes);
  const out: Uint32Array[] = [];
  const types = new Types();
  /** Constants to add, by type and value. */
  const limits = new Map<string, { type: number; id: number; value: number }>();
  let bound = header[3]!;
  let imported = 0;
  let constantsAt: number | null = null;

  /** Adds the instruction that clamps an index, and returns its result; the index itself if it is constant. */
  const clamped = (index: number, length: number | undefined): number => {
    const type = types.ofInteger.get(index);
    if (length === undefined || type === undefined || types.constants.has(index)) return index;
    const key = `${type} ${length}`;
    const limit = limits.get(key) ?? { type, id: bound++, value: length - 1 };
    limits.set(key, limit);
    const result = bound++;
    out.push(instruction(EXTENDED, type, result, imported, UMIN, index, limit.id));
    return result;
  };

  for (const words of instructions) {
    const code = codeOf(words);
    types.add(code, words);
    if (code === Op.extInstImport) imported = words[1]!; // naga imports GLSL.std.450 alone
    if (code === Op.function) constantsAt ??= out.length;
    if (code === Op.vectorExtractDynamic) {
      const vector = types.ofValue.get(words[3]!);
      out.push(words.with(4, clamped(words[4]!, vector === undefined ? undefined : types.lengths.get(vector))));
    } else if (code === Op.accessChain || code === Op.inBoundsAccessChain) {
      const pointer = types.pointers.get(types.ofValue.get(words[3]!) ?? 0);
      let type = pointer !== undefined && CHECKED.has(pointer.storage) ? pointer.to : undefined;
      const chain = words.slice();
      for (let i = 4; i < words.length && type !== undefined; i++) {
        chain[i] = clamped(words[i]!, types.lengths.get(type));
        type = types.memberOf(type, words[i]!);
      }
      out.push(chain);
    } else {
      out.push(words);
    }
  }
  if (limits.size === 0) return new Uint8Array(bytes);
  const constants = [...limits.values()].map(({ type, id, value }) =>
    instruction(Op.constant, type, id, value, ...types.isWide(type) ? [0] : [])
  );
  return joinModule(header, out.toSpliced(constantsAt ?? out.length, 0, ...constants), bound);
}

/** Types of a module, and of the values seen so far. */
class Types {
  /** Number of elements of arrays, vectors and matrices. */
  readonly lengths = new Map<number, number>();
  readonly pointers = new Map<number, { readonly storage: number; readonly to: number }>();
  readonly constants = new Map<number, number>();
  /** Type of each value. */
  readonly ofValue = new Map<number, number>();
  /** Type of each integer, of whichever sign. */
  readonly ofInteger = new Map<number, number>();
  readonly #integers = new Map<number, number>();
  readonly #elements = new Map<number, number>();
  readonly #structs = new Map<number, Uint32Array>();

  add(code: number, words: Uint32Array): void {
    const [, first = 0, second = 0, third = 0] = words;
    if (code === Op.typeInt) this.#integers.set(first, second);
    else if (code === Op.typePointer) this.pointers.set(first, { storage: second, to: third });
    else if (code === Op.typeStruct) this.#structs.set(first, words.subarray(2));
    else if (code === Op.typeRuntimeArray) this.#elements.set(first, second);
    else if (code === Op.typeVector || code === Op.typeMatrix || code === Op.typeArray) {
      this.#elements.set(first, second);
      const length = code === Op.typeArray ? this.constants.get(third) : third;
      if (length !== undefined) this.lengths.set(first, length);
    } else if (code >= 41 && !WITHOUT_RESULT.has(code) && words.length > 2 && code !== Op.decorate) {
      if (code === Op.constant) this.constants.set(second, third);
      this.ofValue.set(second, first);
      if (this.#integers.has(first)) this.ofInteger.set(second, first);
    } else if (code === EXTENDED) {
      this.ofValue.set(second, first);
      if (this.#integers.has(first)) this.ofInteger.set(second, first);
    }
  }

  /** Returns the type that an index leads to. */
  memberOf(type: number, index: number): number | undefined {
    return this.#structs.get(type)?.[this.constants.get(index) ?? 0] ?? this.#elements.get(type);
  }

  isWide(type: number): boolean {
    return this.#integers.get(type) === 64;
  }
}

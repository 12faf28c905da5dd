import { InputError } from "../../core/errors.ts";
import { codeOf, Op, parseModule, Storage, textAt } from "./module.ts";

/** Descriptor of a binding, by Vulkan's `VkDescriptorType`. */
export const DESCRIPTORS = { sampler: 0, texture: 2, storageTexture: 3, uniform: 6, storage: 7 } as const;

export interface Binding {
  readonly group: number;
  readonly binding: number;
  readonly kind: keyof typeof DESCRIPTORS;
  /** Elements of an array of bindings; 1 for others. */
  readonly count: number;
}

/** An entry point for compute: what a driver must be told besides the code. */
export interface EntryPoint {
  readonly name: string;
  readonly workgroupSize: readonly [number, number, number];
  /** Bindings that the entry point or a function that it calls uses, by group and binding. */
  readonly bindings: readonly Binding[];
  /** True if it reads immediate data (push constants). */
  readonly immediates: boolean;
}

const GL_COMPUTE = 5;
const LOCAL_SIZE = 17;
const [BINDING, GROUP] = [33, 34];

/** Instructions of functions whose pointer is not the third operand: stores and copies. */
const POINTER_FIRST = new Set<number>([Op.store, 63, 99, 228]);
/** Instructions of functions whose third operand is no ID: variables, merges, branches by number. */
const LITERALS = new Set<number>([Op.variable, 246, 247, 251]);

interface Variable {
  readonly storage: number;
  readonly type: number;
}

/**
 * Reads the entry points for compute of a module, in its order.
 *
 * @throws {InputError} if a binding has a kind that compute shaders of WebGPU lack, or two have one place
 */
export function reflect(bytes: Uint8Array): EntryPoint[] {
  const { instructions } = parseModule(bytes);
  const entries: { id: number; name: string }[] = [];
  const sizes = new Map<number, readonly [number, number, number]>();
  const places = new Map<number, { group: number; binding: number }>();
  const variables = new Map<number, Variable>();
  const types = new Map<number, Uint32Array>();
  const constants = new Map<number, number>();
  /** IDs that the body of each function refers to: variables and functions. */
  const uses = new Map<number, Set<number>>();
  let body: Set<number> | null = null;
  for (const words of instructions) {
    const code = codeOf(words);
    const [, first = 0, second = 0, third = 0] = words;
    if (code === Op.entryPoint && first === GL_COMPUTE) entries.push({ id: second, name: textAt(words, 3) });
    else if (code === Op.executionMode && second === LOCAL_SIZE) sizes.set(first, [third, words[4]!, words[5]!]);
    else if (code === Op.decorate && (second === BINDING || second === GROUP)) {
      const place = places.get(first) ?? { group: 0, binding: 0 };
      places.set(first, { ...place, [second === BINDING ? "binding" : "group"]: third });
    } else if (code >= Op.typeInt && code <= Op.typePointer) types.set(first, words);
    else if (code === Op.constant) constants.set(second, third);
    else if (code === Op.variable && body === null) variables.set(second, { type: first, storage: third });
    else if (code === Op.function) uses.set(second, body = new Set());
    else if (body !== null) {
      const operands = code === Op.functionCall
        ? words.subarray(3)
        : POINTER_FIRST.has(code)
        ? [first, second]
        : LITERALS.has(code)
        ? []
        : [third];
      for (const operand of operands) body.add(operand);
    }
  }
  const describe = (id: number): Binding => {
    const { type, storage } = variables.get(id)!;
    const { group, binding } = places.get(id)!;
    const pointee = types.get(types.get(type)?.[3] ?? 0);
    const isArray = pointee !== undefined && codeOf(pointee) === Op.typeArray;
    const element = isArray ? types.get(pointee[2]!) : pointee;
    const kind = kindOf(storage, element);
    if (kind === null) throw new InputError(`@group(${group}) @binding(${binding}) is no buffer, texture or sampler`);
    return { group, binding, kind, count: isArray ? constants.get(pointee[3]!) ?? 1 : 1 };
  };
  return entries.map(({ id, name }) => {
    const used = reachable(id, uses);
    const bindings = [...used].filter((id) => variables.has(id) && places.has(id)).map(describe)
      .sort((a, b) => a.group - b.group || a.binding - b.binding);
    const twice = bindings.find(({ group, binding }, i) =>
      bindings[i + 1]?.group === group && bindings[i + 1]?.binding === binding
    );
    if (twice !== undefined) {
      throw new InputError(
        `entry point ${name}: two variables have @group(${twice.group}) @binding(${twice.binding}); expected one`,
      );
    }
    const immediates = [...used].some((id) => variables.get(id)?.storage === Storage.pushConstant);
    return { name, workgroupSize: sizes.get(id) ?? [1, 1, 1], bindings, immediates };
  });
}

/** Returns what a function and those that it calls refer to. */
function reachable(id: number, uses: ReadonlyMap<number, ReadonlySet<number>>): Set<number> {
  const found = new Set([id]);
  for (const each of found) for (const used of uses.get(each) ?? []) found.add(used);
  return found;
}

function kindOf(storage: number, type: Uint32Array | undefined): Binding["kind"] | null {
  if (storage === Storage.uniform) return "uniform";
  if (storage === Storage.storageBuffer) return "storage";
  if (type === undefined) return null;
  if (codeOf(type) === Op.typeSampler) return "sampler";
  if (codeOf(type) === Op.typeImage) return type[7] === 2 ? "storageTexture" : "texture";
  return null;
}

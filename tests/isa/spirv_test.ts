/** The SPIR-V that goes to the driver: bindings of any group and kind, entry points, and indices clamped as wgpu does. */
import assert from "node:assert/strict";
import { instruction, joinModule, Op, parseModule, Storage } from "../../runtime/isa/spirv/module.ts";
import { reflect } from "../../runtime/isa/spirv/reflect.ts";
import { restrict } from "../../runtime/isa/spirv/restrict.ts";

const [COMPOSITE_CONSTRUCT, EXTENDED, UMIN] = [80, 12, 38];

/** Packs a text into words, with its final 0. */
function text(words: string): number[] {
  const bytes = new Uint8Array(4 * (Math.floor(words.length / 4) + 1));
  bytes.set(new TextEncoder().encode(words));
  return [...new Uint32Array(bytes.buffer)];
}

function module(...instructions: readonly Uint32Array[]): Uint8Array {
  return joinModule(Uint32Array.of(0x07230203, 0x10000, 0, 0, 0), instructions, 100);
}

const decorated = (id: number, group: number, binding: number) => [
  instruction(Op.decorate, id, 34, group),
  instruction(Op.decorate, id, 33, binding),
];

/** A function that loads variables and calls others. */
const body = (id: number, loads: readonly number[], calls: readonly number[] = []) => [
  instruction(Op.function, 1, id, 0, 2),
  ...loads.map((variable, i) => instruction(Op.load, 3, 80 + id + i, variable)),
  ...calls.map((callee, i) => instruction(Op.functionCall, 1, 90 + id + i, callee)),
  instruction(Op.functionEnd),
];

Deno.test("bindings have their group, kind and count, and belong to the entry points that reach them", () => {
  const entries = reflect(module(
    instruction(Op.entryPoint, 5, 40, ...text("first")),
    instruction(Op.entryPoint, 5, 41, ...text("second")),
    instruction(Op.entryPoint, 4, 42, ...text("fragment")),
    instruction(Op.executionMode, 40, 17, 64, 1, 1),
    instruction(Op.executionMode, 41, 17, 8, 8, 2),
    ...[...decorated(20, 1, 2), ...decorated(21, 0, 0), ...decorated(22, 0, 1), ...decorated(23, 2, 0)],
    ...[...decorated(24, 0, 0), ...decorated(25, 0, 5)],
    instruction(Op.typeInt, 3, 32, 0),
    instruction(Op.typeStruct, 4, 3),
    instruction(Op.typeSampler, 5),
    instruction(Op.typeImage, 6, 3, 1, 0, 0, 0, 1, 0),
    instruction(Op.typeImage, 7, 3, 1, 0, 0, 0, 2, 4),
    instruction(Op.constant, 3, 8, 4),
    instruction(Op.typeArray, 9, 6, 8),
    ...[[10, Storage.storageBuffer, 4], [11, Storage.uniformConstant, 5], [12, Storage.uniformConstant, 9]]
      .map((pointer) => instruction(Op.typePointer, ...pointer)),
    ...[[13, Storage.uniformConstant, 7], [14, Storage.uniform, 4]].map((pointer) =>
      instruction(Op.typePointer, ...pointer)
    ),
    ...[[10, 20, 12], [11, 21, 0], [12, 22, 0], [13, 23, 0], [14, 24, 2], [10, 25, 12]].map((variable) =>
      instruction(Op.variable, ...variable)
    ),
    ...body(40, [21], [43]),
    ...body(41, [24]),
    ...body(42, []),
    ...body(43, [20, 22, 23]),
  ));
  assert.deepEqual(entries, [
    {
      name: "first",
      workgroupSize: [64, 1, 1],
      bindings: [
        { group: 0, binding: 0, kind: "sampler", count: 1 },
        { group: 0, binding: 1, kind: "texture", count: 4 },
        { group: 1, binding: 2, kind: "storage", count: 1 },
        { group: 2, binding: 0, kind: "storageTexture", count: 1 },
      ],
      immediates: false,
    },
    {
      name: "second",
      workgroupSize: [8, 8, 2],
      bindings: [{ group: 0, binding: 0, kind: "uniform", count: 1 }],
      immediates: false,
    },
  ]);
});

Deno.test("two variables of one entry point at one place are refused", () => {
  const twice = module(
    instruction(Op.entryPoint, 5, 40, ...text("main")),
    ...[...decorated(20, 1, 2), ...decorated(21, 1, 2)],
    instruction(Op.typeStruct, 4),
    instruction(Op.typePointer, 10, Storage.storageBuffer, 4),
    ...[20, 21].map((id) => instruction(Op.variable, 10, id, 12)),
    ...body(40, [20, 21]),
  );
  assert.throws(() => reflect(twice), {
    message: "entry point main: two variables have @group(1) @binding(2); expected one",
  });
});

/** A function with an i32 index (31) into workgroup memory of 8 vectors of 4, in a module without u32. */
const indexed = (...code: readonly Uint32Array[]) =>
  module(
    instruction(Op.extInstImport, 30, ...text("GLSL.std.450")),
    instruction(Op.typeInt, 3, 32, 1),
    instruction(Op.constant, 3, 8, 8),
    instruction(Op.constant, 3, 9, 2),
    instruction(22, 4, 32), // OpTypeFloat
    instruction(Op.typeVector, 5, 4, 4),
    instruction(Op.typeArray, 6, 5, 8),
    ...[[10, Storage.workgroup, 6], [11, Storage.storageBuffer, 6], [12, Storage.workgroup, 4]].map((pointer) =>
      instruction(Op.typePointer, ...pointer)
    ),
    instruction(Op.variable, 10, 20, Storage.workgroup),
    instruction(Op.variable, 11, 21, Storage.storageBuffer),
    instruction(Op.function, 1, 40, 0, 2),
    instruction(Op.load, 3, 31, 99),
    ...code,
    instruction(Op.functionEnd),
  );

/** Clamps of a module: type, index, type of the limit, limit. */
function clamps(bytes: Uint8Array): number[][] {
  const all = parseModule(bytes).instructions.map((words) => [words[0]! & 0xffff, ...words.subarray(1)]);
  const constants = new Map(
    all.filter(([code]) => code === Op.constant).map(([, type, id, value]) => [id, [type, value]]),
  );
  return all.filter(([code, , , , operation]) => code === EXTENDED && operation === UMIN)
    .map(([, type, , , , index, limit]) => [type!, index!, ...constants.get(limit) as number[]]);
}

Deno.test("a signed index into workgroup memory is clamped in its own type, where the module has no u32", () => {
  const restricted = restrict(indexed(instruction(Op.accessChain, 12, 50, 20, 31, 31)));
  assert.deepEqual(clamps(restricted), [[3, 31, 3, 7], [3, 31, 3, 3]]);
  const { header, instructions } = parseModule(restricted);
  const chain = instructions.find((words) => (words[0]! & 0xffff) === Op.accessChain)!;
  const results = instructions.filter((words) => (words[0]! & 0xffff) === EXTENDED).map((words) => words[2]);
  assert.deepEqual([...chain.subarray(4)], results);
  assert.ok(results.every((id) => id! >= 100 && id! < header[3]!), "new IDs are below the bound");
});

Deno.test("a component of a vector value by an index is clamped", () => {
  const vector = instruction(COMPOSITE_CONSTRUCT, 5, 60, 61, 61, 61, 61);
  assert.deepEqual(clamps(restrict(indexed(vector, instruction(Op.vectorExtractDynamic, 4, 62, 60, 31)))), [[
    3,
    31,
    3,
    3,
  ]]);
});

Deno.test("constant indices and buffers keep their indices", () => {
  const bytes = indexed(
    instruction(Op.accessChain, 12, 50, 20, 9, 9),
    instruction(Op.accessChain, 12, 51, 21, 31, 31),
  );
  assert.deepEqual(restrict(bytes), bytes);
});

Deno.test("what is no SPIR-V, or ends within an instruction, is refused before a driver sees it", () => {
  assert.throws(() => reflect(new TextEncoder().encode("fn main")), /Expected a SPIR-V module/);
  const whole = module(instruction(Op.typeInt, 3, 32, 0));
  assert.throws(() => reflect(whole.subarray(0, whole.length - 4)), /the instruction at word 5 has 4 words/);
});

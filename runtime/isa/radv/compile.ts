import { type Binding, DESCRIPTORS } from "../spirv/reflect.ts";
import { addressOf, cText, type Field, list, numberIn, record, structure, textIn, wordIn, write } from "./memory.ts";
import type { Vulkan } from "./vulkan.ts";

/** A kernel for a driver. */
export interface DriverKernel {
  /** SPIR-V in base64. */
  readonly spirv: string;
  readonly entryPoint: string;
  readonly bindings: readonly Binding[];
  readonly immediates: boolean;
  /** True if texts are returned besides statistics. */
  readonly texts: boolean;
}

/** What a driver says about a kernel, under its own names. */
export interface DriverAnswer {
  /** Lanes of a wave; 0 if unknown. */
  readonly lanes: number;
  readonly statistics: Readonly<Record<string, number>>;
  /** Internal representations, such as `Assembly`. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Structures by `VkStructureType`, with their sizes. */
const MODULE = [16, 40] as const;
const SET_LAYOUT = [32, 32] as const;
const LAYOUT = [30, 48] as const;
const PIPELINE = [29, 96] as const;
const STAGE = 18;
const PIPELINE_INFO = [1000269001, 24] as const;
const EXECUTABLE_INFO = [1000269003, 32] as const;

/** Lists of `VK_KHR_pipeline_executable_properties`: structure type and size. */
const LISTS = {
  Properties: [1000269002, 536],
  Statistics: [1000269004, 544],
  InternalRepresentations: [1000269005, 552],
} as const;

const COMPUTE = 0x20;
/** Subgroups of any size, which wgpu allows where Tacho asks for subgroups. */
const ALLOW_VARYING_SUBGROUP_SIZE = 1;
const CAPTURE_STATISTICS = 0x40;
const CAPTURE_TEXTS = 0x80;
/** Bytes of immediate data that wgpu's default limits allow. */
const IMMEDIATE_BYTES = 128;
/** `VkPipelineExecutableStatisticFormatKHR`: bool, i64, u64, f64. */
const FLOAT_FORMAT = 3;

/**
 * Compiles a kernel, and returns what the compiler made.
 *
 * @throws {Error} if the driver refuses it
 */
export function compileKernel(vulkan: Vulkan, kernel: DriverKernel): DriverAnswer {
  const code = Uint8Array.fromBase64(kernel.spirv);
  const module = vulkan.create("vkCreateShaderModule", structure(...MODULE, [24, BigInt(code.length)], [32, code]));
  const layout = createLayout(vulkan, kernel);
  const flags = CAPTURE_STATISTICS | (kernel.texts ? CAPTURE_TEXTS : 0);
  const stage: Field[] = [
    ...[[24, STAGE], [40, ALLOW_VARYING_SUBGROUP_SIZE], [44, COMPUTE]] as const,
    ...[[48, module], [56, cText(kernel.entryPoint)]] as const,
  ];
  const info = structure(...PIPELINE, [16, flags], ...stage, [72, layout]);
  const handle = new Uint8Array(8);
  const result = vulkan.call("vkCreateComputePipelines", 0n, 1, info, 0n, handle);
  if (result !== 0) throw new Error(`vkCreateComputePipelines returned ${result}`);
  const pipeline = wordIn(handle, 0);
  const executable = structure(...EXECUTABLE_INFO, [16, pipeline]);
  const statistics = listOf(vulkan, "Statistics", executable).map((bytes) => [textIn(bytes, 16, 256), valueIn(bytes)]);
  const [properties] = listOf(vulkan, "Properties", structure(...PIPELINE_INFO, [16, pipeline]));
  const texts = kernel.texts ? textsOf(vulkan, executable) : {};
  vulkan.call("vkDestroyPipeline", pipeline, 0n);
  vulkan.call("vkDestroyShaderModule", module, 0n);
  const lanes = properties === undefined ? 0 : numberIn(properties, 532);
  return { lanes, statistics: Object.fromEntries(statistics), texts };
}

/** Creates the layout of the bindings. Groups without a binding are empty. */
function createLayout(vulkan: Vulkan, { bindings, immediates }: DriverKernel): bigint {
  const groups = Math.max(0, ...bindings.map(({ group }) => group + 1));
  const sets = record(8 * groups);
  for (let group = 0; group < groups; group++) {
    const entries = bindings.filter((binding) => binding.group === group).map(({ binding, kind, count }) =>
      record(24, [0, binding], [4, DESCRIPTORS[kind]], [8, count], [12, COMPUTE])
    );
    const info = structure(...SET_LAYOUT, [20, entries.length], [24, addressOf(list(entries))]);
    write(sets, 8 * group, [0, vulkan.create("vkCreateDescriptorSetLayout", info)]);
  }
  const range = record(12, [0, COMPUTE], [8, IMMEDIATE_BYTES]);
  return vulkan.create(
    "vkCreatePipelineLayout",
    structure(...LAYOUT, [20, groups], [24, addressOf(sets)], [32, immediates ? 1 : 0], [40, range]),
  );
}

/** Reads a statistic, whose format the driver chooses. */
function valueIn(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return numberIn(bytes, 528) === FLOAT_FORMAT ? view.getFloat64(536, true) : Number(view.getBigInt64(536, true));
}

function textsOf(vulkan: Vulkan, executable: Uint8Array<ArrayBuffer>): Record<string, string> {
  const texts: Record<string, string> = {};
  // The first call tells the sizes, the second one fills the memory
  const buffers: Uint8Array<ArrayBuffer>[] = [];
  const all = listOf(vulkan, "InternalRepresentations", executable, (bytes) => {
    const buffer = new Uint8Array(Number(wordIn(bytes, 536)) + 1);
    buffers.push(buffer);
    write(bytes, 0, [544, buffer]);
  });
  all.forEach((bytes, i) => texts[textIn(bytes, 16, 256)] = textIn(buffers[i]!, 0, buffers[i]!.length));
  return texts;
}

/** @param prepare called with each structure between two calls that fill it */
function listOf(
  vulkan: Vulkan,
  what: keyof typeof LISTS,
  of: Uint8Array<ArrayBuffer>,
  prepare?: (bytes: Uint8Array<ArrayBuffer>) => void,
): Uint8Array<ArrayBuffer>[] {
  const [type, size] = LISTS[what];
  const name = `vkGetPipelineExecutable${what}KHR`;
  const count = new Uint8Array(4);
  vulkan.call(name, of, count, null);
  const all = new Uint8Array(size * numberIn(count, 0));
  const parts = Array.from({ length: numberIn(count, 0) }, (_, i) => all.subarray(i * size, (i + 1) * size));
  for (const part of parts) write(part, 0, [0, type]);
  vulkan.call(name, of, count, all);
  if (prepare === undefined) return parts;
  parts.forEach(prepare);
  vulkan.call(name, of, count, all);
  return parts;
}

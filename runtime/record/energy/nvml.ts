import { reasonOf } from "../../core/shown.ts";
import type { EnergySources } from "./energy_source.ts";

const LIBRARY = "libnvidia-ml.so.1";

const SYMBOLS = {
  nvmlInit_v2: { parameters: [], result: "i32" },
  nvmlShutdown: { parameters: [], result: "i32" },
  nvmlDeviceGetCount_v2: { parameters: ["buffer"], result: "i32" },
  nvmlDeviceGetHandleByIndex_v2: { parameters: ["u32", "buffer"], result: "i32" },
  nvmlDeviceGetName: { parameters: ["pointer", "buffer", "u32"], result: "i32" },
  nvmlDeviceGetTotalEnergyConsumption: { parameters: ["pointer", "buffer"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

type Nvml = Deno.DynamicLibrary<typeof SYMBOLS>;

/**
 * Opens the counters of NVIDIA GPUs, through NVIDIA's management library. GPUs before Volta have none.
 *
 * Source: NVML API Reference Guide, nvmlDeviceGetTotalEnergyConsumption (millijoules since the driver was loaded).
 *
 * @param library name or path of the library
 */
export function nvmlSources(library = LIBRARY): EnergySources {
  let nvml: Nvml;
  try {
    nvml = Deno.dlopen(library, SYMBOLS);
  } catch (error) {
    return { sources: [], missing: [`NVML: ${library} cannot be loaded (${loaderReason(error)})`] };
  }
  const { symbols } = nvml;
  const status = symbols.nvmlInit_v2();
  if (status !== 0) {
    nvml.close();
    return { sources: [], missing: [`NVML: nvmlInit_v2 failed with status ${status}`] };
  }
  const close = () => {
    symbols.nvmlShutdown();
    nvml.close();
  };
  const gpus = gpusOf(nvml).filter(({ reads }) => reads);
  let open = gpus.length;
  const closeOne = () => {
    if (--open === 0) close();
  };
  if (gpus.length > 0) {
    return {
      sources: gpus.map((gpu) => ({ name: gpu.name, joules: () => gpu.joules(), close: closeOne })),
      missing: [],
    };
  }
  close();
  return { sources: [], missing: ["NVML: no GPU counts energy"] };
}

function gpusOf(nvml: Nvml): Gpu[] {
  const count = new Uint32Array(1);
  if (nvml.symbols.nvmlDeviceGetCount_v2(count) !== 0) return [];
  return Array.from({ length: count[0]! }, (_, index) => new Gpu(nvml, index));
}

class Gpu {
  readonly name: string;
  readonly #nvml: Nvml;
  readonly #handle: Deno.PointerValue;
  readonly #value = new BigUint64Array(1);
  readonly #start: number | null;

  constructor(nvml: Nvml, index: number) {
    const handle = new BigUint64Array(1);
    nvml.symbols.nvmlDeviceGetHandleByIndex_v2(index, handle);
    this.#nvml = nvml;
    this.#handle = Deno.UnsafePointer.create(handle[0]!);
    const bytes = new Uint8Array(96);
    const named = nvml.symbols.nvmlDeviceGetName(this.#handle, bytes, bytes.length) === 0;
    this.name = named ? new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0))) : `GPU ${index}`;
    this.#start = this.#read();
  }

  /** True if the GPU counts energy. */
  get reads(): boolean {
    return this.#start !== null;
  }

  joules(): number {
    return ((this.#read() ?? this.#start!) - this.#start!) / 1000;
  }

  /** Returns the millijoules of the counter; null if the GPU has none. */
  #read(): number | null {
    const status = this.#nvml.symbols.nvmlDeviceGetTotalEnergyConsumption(this.#handle, this.#value);
    return status === 0 ? Number(this.#value[0]!) : null;
  }
}

/** Returns the loader's first line, without the words that Deno puts before it, twice on Linux. */
function loaderReason(error: unknown): string {
  return reasonOf(error).split("\n", 1)[0]!.replace(/^(Could not open library: )+/, "");
}

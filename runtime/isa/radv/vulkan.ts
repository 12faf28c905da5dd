import { cText, type Field, numberIn, record, structure, textIn, wordIn } from "./memory.ts";

/** Structures by `VkStructureType`, with their sizes. */
const INSTANCE = [1, 64] as const;
const APPLICATION = [0, 48] as const;
const PROPERTIES = [1000059001, 840] as const;
const DRIVER = [1000196000, 536] as const;
const FEATURES = [1000059000, 240] as const;
const QUEUE = [2, 40] as const;
const DEVICE = [3, 72] as const;

/** Features as structures: Vulkan 1.1, 1.2, 1.3. */
const CORE_FEATURES = [[49, 64], [51, 208], [53, 80]] as const;

/** Features of extensions, if the driver has them: executables' properties, robust access as wgpu asks for it. */
const EXTENSIONS: Readonly<Record<string, readonly [type: number, size: number]>> = {
  VK_KHR_pipeline_executable_properties: [1000269000, 24],
  VK_EXT_robustness2: [1000286000, 32],
};

/** The extension that tells what the compiler made. */
const NEEDED = "VK_KHR_pipeline_executable_properties";

const EXTENSION_BYTES = 260;
const VERSION_1_3 = (1 << 22) | (3 << 12);
/** `VK_SUCCESS` and `VK_INCOMPLETE`. */
const FINE: readonly number[] = [0, 5];

type Argument = number | bigint | Uint8Array<ArrayBuffer> | null;

/** The driver's own words about itself. */
export interface DriverFacts {
  /** Name of the device: `AMD Radeon RX 6800 (RADV NAVI21)`, `Null hardware (RADV NAVI21)`. */
  readonly device: string;
  /** Driver and version: `radv Mesa 22.3.6`. */
  readonly driver: string;
}

/** A logical device of a driver, called without Vulkan's loader. */
export class Vulkan {
  readonly facts: DriverFacts;
  readonly #library: string;
  readonly #find: (instance: bigint, name: Uint8Array<ArrayBuffer>) => Deno.PointerValue;
  readonly #functions = new Map<string, (...args: Argument[]) => number>();
  #instance = 0n;
  readonly #device: bigint;

  /** @throws {Error} if the library is no driver, has other than one device, or lacks what is needed */
  constructor(library: string) {
    this.#library = library;
    const { symbols } = Deno.dlopen(library, {
      vk_icdGetInstanceProcAddr: { parameters: ["u64", "buffer"], result: "pointer" },
    });
    this.#find = (instance, name) => symbols.vk_icdGetInstanceProcAddr(instance, name);
    const application = structure(...APPLICATION, [44, VERSION_1_3]);
    this.#instance = this.#create("vkCreateInstance", structure(...INSTANCE, [24, application]));
    const physical = this.#physicalDevice();
    this.facts = this.#factsOf(physical);
    this.#device = this.#createDevice(physical);
  }

  /** Calls a function that takes the device first, and returns its result. */
  call(name: string, ...args: readonly Argument[]): number {
    return this.#invoke(name, this.#device, ...args);
  }

  /**
   * Creates an object of the device, and returns its handle.
   *
   * @throws {Error} if the driver refuses
   */
  create(name: string, info: Uint8Array<ArrayBuffer>): bigint {
    return this.#create(name, this.#device, info);
  }

  #create(name: string, ...args: readonly Argument[]): bigint {
    const handle = new Uint8Array(8);
    const result = this.#invoke(name, ...args, 0n, handle);
    if (result !== 0) throw new Error(`${name} returned ${result}`);
    return wordIn(handle, 0);
  }

  /** Calls a function whose parameters have the types of the arguments, each time the same. */
  #invoke(name: string, ...args: readonly Argument[]): number {
    let call = this.#functions.get(name);
    if (call === undefined) {
      const pointer = this.#find(this.#instance, cText(name));
      if (pointer === null) throw new Error(`${this.#library} has no ${name}`);
      const parameters = args.map((arg) =>
        typeof arg === "bigint" ? "u64" : typeof arg === "number" ? "u32" : "buffer"
      );
      const made = new Deno.UnsafeFnPointer(pointer as Deno.PointerObject<never>, { parameters, result: "i32" });
      this.#functions.set(name, call = (...given) => made.call(...given as never[]) as unknown as number);
    }
    return call(...args);
  }

  /** Calls a function that lists items: for their number, then for the items, `size` bytes each. */
  #list(name: string, args: readonly Argument[], size: number): Uint8Array[] {
    const count = new Uint8Array(4);
    const first = this.#invoke(name, ...args, count, null);
    const bytes = new Uint8Array(size * numberIn(count, 0));
    const second = this.#invoke(name, ...args, count, bytes);
    if (![first, second].every((result) => FINE.includes(result))) {
      throw new Error(`${name} returned ${first}, ${second}`);
    }
    return Array.from({ length: numberIn(count, 0) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
  }

  #physicalDevice(): bigint {
    const devices = this.#list("vkEnumeratePhysicalDevices", [this.#instance], 8);
    if (devices.length === 1) return wordIn(devices[0]!, 0);
    throw new Error(`the driver lists ${devices.length} devices; expected one, of the family asked for`);
  }

  #factsOf(physical: bigint): DriverFacts {
    const driver = structure(...DRIVER);
    const properties = structure(...PROPERTIES, [8, driver]);
    this.#invoke("vkGetPhysicalDeviceProperties2", physical, properties);
    const words = [textIn(driver, 20, 256), textIn(driver, 276, 256)];
    return { device: textIn(properties, 36, 256), driver: words.join(" ").trim() };
  }

  #createDevice(physical: bigint): bigint {
    const listed = this.#list("vkEnumerateDeviceExtensionProperties", [physical, 0n], EXTENSION_BYTES);
    const has = new Set(listed.map((bytes) => textIn(bytes, 0, 256)));
    if (!has.has(NEEDED)) throw new Error(`the driver has no ${NEEDED}`);
    const extensions = Object.entries(EXTENSIONS).filter(([name]) => has.has(name));
    let chain: Field[] = [];
    for (const [type, size] of [...CORE_FEATURES, ...extensions.map(([, shape]) => shape)]) {
      chain = [[8, structure(type, size, ...chain)]];
    }
    const features = structure(...FEATURES, ...chain);
    this.#invoke("vkGetPhysicalDeviceFeatures2", physical, features); // fills in all that the driver has
    const queue = structure(...QUEUE, [24, 1], [32, new Uint8Array(Float32Array.of(1).buffer)]);
    const names = extensions.map(([name], i): Field => [8 * i, cText(name)]);
    const counts: Field[] = [[20, 1], [48, extensions.length]];
    const lists: Field[] = [[24, queue], [56, record(8 * extensions.length, ...names)]];
    return this.#create("vkCreateDevice", physical, structure(...DEVICE, [8, features], ...counts, ...lists));
  }
}

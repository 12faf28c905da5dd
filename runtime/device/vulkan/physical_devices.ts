/**
 * Physical devices of the Vulkan loader, which tells more about a GPU than WebGPU does: its driver, its UUID and its place
 * on the PCI bus. Reads them with Deno's foreign function interface.
 *
 * @module
 */

/** Kinds of devices, by Vulkan's `VkPhysicalDeviceType`. */
const KINDS = ["other", "integrated", "discrete", "virtual", "cpu"] as const;

export interface VulkanDevice {
  /** Name, which is also WebGPU's. */
  readonly name: string;
  readonly kind: typeof KINDS[number];
  /** PCI identifiers of vendor and model; software devices have made-up ones. */
  readonly vendorId: number;
  readonly deviceId: number;
  /** Name and version of the driver; null if it does not say. */
  readonly driver: string | null;
  /** 32 hexadecimal digits that stay the same over reboots; null if the driver gives none. */
  readonly uuid: string | null;
  /** Address on the PCI bus, such as `0000:01:00.0`; null for devices that are not on it. */
  readonly pci: string | null;
}

const SYMBOLS = {
  vkCreateInstance: { parameters: ["buffer", "pointer", "buffer"], result: "i32" },
  vkDestroyInstance: { parameters: ["pointer", "pointer"], result: "void" },
  vkEnumeratePhysicalDevices: { parameters: ["pointer", "buffer", "buffer"], result: "i32" },
  vkEnumerateDeviceExtensionProperties: { parameters: ["pointer", "pointer", "buffer", "buffer"], result: "i32" },
  vkGetPhysicalDeviceProperties2: { parameters: ["pointer", "buffer"], result: "void" },
} as const satisfies Deno.ForeignLibraryInterface;

type Loader = Deno.DynamicLibrary<typeof SYMBOLS>;

const LIBRARY = "libvulkan.so.1";

/** `VK_INCOMPLETE`: there were more devices than asked for. */
const INCOMPLETE = 5;
const MAX_DEVICES = 64;
const MAX_EXTENSIONS = 512;
/** Bytes of the description of an extension, which begins with its name. */
const EXTENSION_BYTES = 260;

/** Structures by `VkStructureType`. */
const APPLICATION_INFO = 0;
const INSTANCE_CREATE_INFO = 1;
const PROPERTIES_2 = 1000059001;
const ID_PROPERTIES = 1000071004;
const DRIVER_PROPERTIES = 1000196000;
const PCI_BUS_INFO = 1000212000;

/**
 * Lists the physical devices of the drivers that the loader finds now, in its order. The loader reads its environment
 * variables at each call. Returns null if there is no loader, or it may not be called (`--allow-ffi`).
 */
export function listPhysicalDevices(): VulkanDevice[] | null {
  // A permission prompt would interrupt the run
  if (Deno.build.os !== "linux" || Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return null;
  let loader: Loader;
  try {
    loader = Deno.dlopen(LIBRARY, SYMBOLS);
  } catch {
    return null;
  }
  try {
    return devicesOf(loader);
  } finally {
    loader.close();
  }
}

function devicesOf({ symbols }: Loader): VulkanDevice[] {
  const application = new Structure(APPLICATION_INFO, 48);
  application.view.setUint32(44, versionNumber(1, 1), true);
  const create = new Structure(INSTANCE_CREATE_INFO, 64);
  create.pointTo(24, application);
  const handle = new BigUint64Array(1);
  if (symbols.vkCreateInstance(create.bytes, null, handle) !== 0) return []; // no driver
  const instance = Deno.UnsafePointer.create(handle[0]!);
  try {
    const count = Uint32Array.of(MAX_DEVICES);
    const handles = new BigUint64Array(MAX_DEVICES);
    const result = symbols.vkEnumeratePhysicalDevices(instance, count, handles);
    if (result !== 0 && result !== INCOMPLETE) return [];
    return [...handles.subarray(0, count[0])].map((device) => describe(symbols, Deno.UnsafePointer.create(device)));
  } finally {
    symbols.vkDestroyInstance(instance, null);
  }
}

function describe(symbols: Loader["symbols"], device: Deno.PointerValue): VulkanDevice {
  const extensions = extensionsOf(symbols, device);
  const properties = new Structure(PROPERTIES_2, 840);
  const id = new Structure(ID_PROPERTIES, 64);
  properties.pointTo(8, id);
  symbols.vkGetPhysicalDeviceProperties2(device, properties.bytes);
  // Some drivers print a warning about structures that they do not know
  const further = (structure: Structure, known: boolean) => {
    if (!known) return null;
    properties.pointTo(8, structure);
    symbols.vkGetPhysicalDeviceProperties2(device, properties.bytes);
    return structure;
  };
  const knowsDriver = properties.word(16) >= versionNumber(1, 2) || extensions.has("VK_KHR_driver_properties");
  const driver = further(new Structure(DRIVER_PROPERTIES, 536), knowsDriver);
  const pci = further(new Structure(PCI_BUS_INFO, 32), extensions.has("VK_EXT_pci_bus_info"));
  const uuid = [...id.bytes.subarray(16, 32)].map((byte) => hex(byte, 2)).join("");
  return {
    name: properties.text(36),
    kind: KINDS[properties.word(32)] ?? "other",
    vendorId: properties.word(24),
    deviceId: properties.word(28),
    driver: driver === null ? null : driverText(driver, properties.word(20)),
    uuid: /^0*$/.test(uuid) ? null : uuid,
    pci: pci === null ? null : addressOf(pci),
  };
}

function extensionsOf(symbols: Loader["symbols"], device: Deno.PointerValue): Set<string> {
  const count = Uint32Array.of(MAX_EXTENSIONS);
  const bytes = new Uint8Array(MAX_EXTENSIONS * EXTENSION_BYTES);
  symbols.vkEnumerateDeviceExtensionProperties(device, null, count, bytes);
  return new Set(Array.from({ length: count[0]! }, (_, i) => textAt(bytes, i * EXTENSION_BYTES)));
}

/** Returns the driver's name and its own description of its version, or else the version number. */
function driverText(driver: Structure, version: number): string | null {
  const [name, info] = [driver.text(20), driver.text(276)];
  if (name === "") return null;
  const number = `${version >>> 22}.${(version >>> 12) & 0x3ff}.${version & 0xfff}`;
  return `${name} ${info || number}`;
}

function addressOf(pci: Structure): string {
  const [domain, bus, slot, part] = [16, 20, 24, 28].map((at) => pci.word(at)) as [number, number, number, number];
  return `${hex(domain, 4)}:${hex(bus, 2)}:${hex(slot, 2)}.${part}`;
}

function versionNumber(major: number, minor: number): number {
  return (major << 22) | (minor << 12);
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

/** Returns the text that begins at an offset, up to its terminating zero. */
function textAt(bytes: Uint8Array, offset: number): string {
  const end = bytes.indexOf(0, offset);
  return new TextDecoder().decode(bytes.subarray(offset, end < 0 ? undefined : end));
}

/** A structure of Vulkan: its type, a pointer to the next structure, and fields. */
class Structure {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView;

  constructor(type: number, size: number) {
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
    this.view.setUint32(0, type, true);
  }

  /** Writes the address of another structure. The caller keeps that one alive. */
  pointTo(offset: number, { bytes }: Structure): void {
    this.view.setBigUint64(offset, Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes)), true);
  }

  word(offset: number): number {
    return this.view.getUint32(offset, true);
  }

  text(offset: number): string {
    return textAt(this.bytes, offset);
  }
}

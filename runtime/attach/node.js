// Generated from runtime/attach/node/preload.ts by: deno task bundle

// runtime/attach/node/webgpu.ts
var webgpu = {};

// runtime/attach/node/preload.ts
import { openSync, writeSync } from "node:fs";
import process from "node:process";
import { isMainThread, threadId } from "node:worker_threads";

// runtime/attach/native.ts
var now = performance.now.bind(performance);
function methods() {
  const { createBuffer, createQuerySet, createCommandEncoder } = webgpu.GPUDevice.prototype;
  const { submit, onSubmittedWorkDone } = webgpu.GPUQueue.prototype;
  const { beginComputePass, resolveQuerySet, copyBufferToBuffer, finish } = webgpu.GPUCommandEncoder.prototype;
  const { end, setPipeline, setBindGroup, pushDebugGroup, popDebugGroup } = webgpu.GPUComputePassEncoder.prototype;
  const { mapAsync, getMappedRange, unmap, destroy: destroyBuffer } = webgpu.GPUBuffer.prototype;
  return {
    ...{ createBuffer, createQuerySet, createCommandEncoder, submit, onSubmittedWorkDone },
    ...{ beginComputePass, resolveQuerySet, copyBufferToBuffer, finish },
    ...{ end, setPipeline, setBindGroup, pushDebugGroup, popDebugGroup },
    ...{ mapAsync, getMappedRange, unmap, destroyBuffer }
  };
}
var native = {};
function captureNative() {
  if (native.createBuffer === void 0) Object.assign(native, methods());
}

// runtime/attach/patch.ts
var OWN = import.meta.url.replace(/[^/]*$/, "");
function hideFrames(error, method) {
  if (!(error instanceof Error)) return;
  const [, innermost = ""] = (error.stack ?? "").slice(String(error).length).split("\n");
  if (innermost.includes(OWN) && typeof method === "function") Error.captureStackTrace(error, method);
}
var Patches = class {
  #undo = [];
  /** Replaces a method of a prototype; name and length stay. Does nothing if the prototype has no such method. */
  method(prototype, name, replacement) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
    const original = descriptor?.value;
    if (descriptor === void 0 || typeof original !== "function") return;
    const call = (self, args) => Reflect.apply(original, self, args);
    const { value } = {
      value(...args) {
        try {
          return replacement(this, args, call);
        } catch (error) {
          hideFrames(error, value);
          throw error;
        }
      }
    };
    Object.defineProperty(value, "name", { value: original.name, configurable: true });
    Object.defineProperty(value, "length", { value: original.length, configurable: true });
    this.#define(prototype, name, descriptor, { ...descriptor, value });
  }
  /** Replaces a getter of a prototype. */
  getter(prototype, name, replacement) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
    const original = descriptor?.get;
    if (descriptor === void 0 || original === void 0) return;
    const get = function() {
      return replacement(this, Reflect.apply(original, this, []));
    };
    Object.defineProperty(get, "name", { value: original.name, configurable: true });
    this.#define(prototype, name, descriptor, { ...descriptor, get });
  }
  /** Replaces a property of an object. */
  value(target, name, value) {
    const descriptor = Object.getOwnPropertyDescriptor(target, name);
    if (descriptor !== void 0) this.#define(target, name, descriptor, { ...descriptor, value });
  }
  /** Undoes all patches, the latest first. */
  undo() {
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }
  #define(target, name, before, after) {
    Object.defineProperty(target, name, after);
    this.#undo.push(() => Object.defineProperty(target, name, before));
  }
};

// runtime/attach/record_wait.ts
function recordWait(device, start, promise) {
  if (device.realm.waitsBlock) {
    const end = device.now();
    device.waited(start, end);
    return promise.then((value) => {
      device.slept(end, device.now());
      return value;
    });
  }
  return promise.then(async (value) => {
    await device.awaited(start, device.now());
    return value;
  });
}

// runtime/attach/tag.ts
var Holder = class {
  constructor(target) {
    return target;
  }
};
function createTag() {
  class Slot extends Holder {
    #value;
    constructor(target, value) {
      super(target);
      this.#value = value;
    }
    static get(target) {
      return #value in target ? target.#value : void 0;
    }
    static set(target, value) {
      if (#value in target) target.#value = value;
      else new Slot(target, value);
    }
  }
  return Slot;
}

// runtime/attach/texture_bytes.ts
function blockOf(format) {
  const astc = /^astc-(\d+)x(\d+)/.exec(format);
  if (astc !== null) return { bytes: 16, width: Number(astc[1]), height: Number(astc[2]) };
  if (/^(bc1|bc4|etc2-rgb8|eac-r11)/.test(format)) return { bytes: 8, width: 4, height: 4 };
  if (/^(bc|etc2|eac)/.test(format)) return { bytes: 16, width: 4, height: 4 };
  const packed = {
    "rgb10a2unorm": 4,
    "rgb10a2uint": 4,
    "rg11b10ufloat": 4,
    "rgb9e5ufloat": 4,
    "stencil8": 1,
    "depth16unorm": 2,
    "depth24plus": 4,
    "depth24plus-stencil8": 4,
    "depth32float": 4,
    "depth32float-stencil8": 5
  };
  const [, channels = "rgba", bits = "8"] = /^(rgba|bgra|rg|r)(8|16|32)/.exec(format) ?? [];
  return { bytes: packed[format] ?? channels.length * Number(bits) / 8, width: 1, height: 1 };
}
function textureBytes(texture) {
  const { width, height, depthOrArrayLayers, dimension, mipLevelCount, sampleCount, format } = texture;
  const block = blockOf(format);
  let bytes = 0;
  for (let level = 0; level < mipLevelCount; level++) {
    const at = (size) => Math.max(1, size >> level);
    const layers = dimension === "3d" ? at(depthOrArrayLayers) : depthOrArrayLayers;
    bytes += Math.ceil(at(width) / block.width) * Math.ceil(at(height) / block.height) * layers * block.bytes;
  }
  return bytes * sampleCount;
}
function regionBytes({ format }, size) {
  const [width, height = 1, layers = 1] = Symbol.iterator in size ? size : [size.width, size.height, size.depthOrArrayLayers];
  const block = blockOf(format);
  return Math.ceil(width / block.width) * Math.ceil(height / block.height) * layers * block.bytes;
}

// runtime/attach/patches/buffers.ts
function patchBuffers(patches, registry2) {
  const known = createTag();
  const collected = new FinalizationRegistry(({ device, memory }) => device.memory.collect(memory));
  const { prototype } = webgpu.GPUBuffer;
  const add = (device, object, facts) => {
    const { label, usage } = object;
    const place = { line: device.line(), created: device.now(), cuts: device.cuts };
    const entry = {
      ...{ device, memory: device.memory.create({ label, usage, ...facts, ...place }) },
      mapped: facts.mappedAtCreation ? "write" : null,
      mappedSince: 0,
      ranges: []
    };
    known.set(object, entry);
    collected.register(object, entry);
    device.realm.tap?.create(object);
    return entry;
  };
  patches.method(webgpu.GPUDevice.prototype, "createBuffer", (gpu, args, call) => {
    const device = registry2.of(gpu);
    if (device === void 0) return call(gpu, args);
    const start = device.now();
    const buffer = call(gpu, args);
    device.count("createMs", device.now() - start);
    const { size } = buffer;
    const { mappedAtCreation = false } = args[0];
    device.count("buffers");
    device.count("bufferBytes", size);
    add(device, buffer, { size, mappedAtCreation });
    return buffer;
  });
  patches.method(webgpu.GPUDevice.prototype, "createTexture", (gpu, args, call) => {
    const device = registry2.of(gpu);
    if (device === void 0) return call(gpu, args);
    const start = device.now();
    const texture = call(gpu, args);
    device.count("createMs", device.now() - start);
    device.count("textures");
    add(device, texture, { size: textureBytes(texture), mappedAtCreation: false });
    return texture;
  });
  const destroy = (object) => {
    const entry = known.get(object);
    if (entry === void 0 || !entry.memory.live) return;
    entry.device.memory.destroy(entry.memory);
    if (object instanceof webgpu.GPUBuffer) entry.device.count("buffersDestroyed");
  };
  for (const destroyed of [prototype, webgpu.GPUTexture.prototype]) {
    patches.method(destroyed, "destroy", (object, args, call) => {
      const result = call(object, args);
      destroy(object);
      return result;
    });
  }
  patches.method(prototype, "mapAsync", (buffer, args, call) => {
    const entry = known.get(buffer);
    const device = entry?.device ?? registry2.only;
    if (device === void 0) return call(buffer, args);
    const [mode, offset, size] = args;
    const start = device.now();
    const promise = call(buffer, args);
    if ((mode & webgpu.GPUMapMode.READ) !== 0) {
      device.count("reads");
      device.count("readBytes", size ?? buffer.size - (offset ?? 0));
    }
    return recordWait(device, start, promise).then((value) => {
      if (entry !== void 0) entry.mapped = (mode & webgpu.GPUMapMode.READ) !== 0 ? "read" : "write";
      return value;
    });
  });
  patches.method(prototype, "getMappedRange", (buffer, args, call) => {
    const entry = known.get(buffer);
    if (entry === void 0 || entry.mapped === null) return call(buffer, args);
    if (entry.mappedSince === 0) entry.mappedSince = entry.device.now();
    const range = call(buffer, args);
    const offset = args[0] ?? 0;
    const { tap } = entry.device.realm;
    if (entry.mapped === "read") tap?.read(buffer, offset, new Uint8Array(range));
    else if (tap !== void 0) entry.ranges.push({ offset, range });
    if (entry.mapped === "write") {
      entry.device.count("mappedUploads");
      entry.device.count("mappedUploadBytes", range.byteLength);
    }
    return range;
  });
  patches.method(prototype, "unmap", (buffer, args, call) => {
    const entry = known.get(buffer);
    for (const { offset, range } of entry?.ranges.splice(0) ?? []) {
      entry?.device.realm.tap?.write({ buffer, offset, bytes: new Uint8Array(range) });
    }
    const result = call(buffer, args);
    if (entry !== void 0 && entry.mapped !== null) {
      const kind = entry.mapped === "read" ? "read" : "upload";
      if (entry.mappedSince > 0) entry.device.interval(kind, entry.mappedSince, entry.device.now());
      entry.mapped = null;
      entry.mappedSince = 0;
    }
    return result;
  });
}

// runtime/attach/patches/commands.ts
function patchCommands(patches, registry2) {
  const encoders = createTag();
  const finished = createTag();
  const { prototype } = webgpu.GPUCommandEncoder;
  const collected = new FinalizationRegistry((slots) => {
    for (const slot of slots) slot.abandoned = true;
  });
  patches.method(webgpu.GPUDevice.prototype, "createCommandEncoder", (gpu, args, call) => {
    const device = registry2.of(gpu);
    if (device === void 0) return call(gpu, args);
    const start = device.now();
    const encoder = call(gpu, args);
    device.encoding(start, start);
    device.count("encoders");
    const slots = [];
    const counts = { between: 0, computePasses: 0, copies: 0, copyBytes: 0 };
    encoders.set(encoder, { device, slots, kernels: [], renderPasses: [], ...counts, bound: /* @__PURE__ */ new Set() });
    return encoder;
  });
  const copies = (name, bytes) => patches.method(prototype, name, (encoder, args, call) => {
    const result = call(encoder, args);
    const commands = encoders.get(encoder);
    if (commands !== void 0) {
      commands.between++;
      commands.copies++;
      commands.copyBytes += bytes(args);
    }
    return result;
  });
  copies("copyBufferToBuffer", (args) => {
    const [source, second, , , last] = args;
    if (typeof second === "object") return args[2] ?? source.size;
    return last ?? source.size - second;
  });
  copies("clearBuffer", (args) => args[2] ?? args[0].size);
  const region = (args, at) => regionBytes(args[at].texture, args[2]);
  copies("copyBufferToTexture", (args) => region(args, 1));
  copies("copyTextureToBuffer", (args) => region(args, 0));
  copies("copyTextureToTexture", (args) => region(args, 0));
  patches.method(prototype, "finish", (encoder, args, call) => {
    const buffer = call(encoder, args);
    const commands = encoders.get(encoder);
    if (commands !== void 0) {
      const end = commands.device.now();
      commands.device.encoding(end, end);
      finished.set(buffer, commands);
      collected.register(buffer, commands.slots);
    }
    return buffer;
  });
  return { encoders, finished };
}

// runtime/attach/records.ts
var RECORDS_VERSION = 1;
var TOTALS = [
  "submits",
  "encoders",
  "computePasses",
  "renderPasses",
  "dispatches",
  "timedDispatches",
  "waits",
  "reads",
  "readBytes",
  "uploads",
  "uploadBytes",
  "mappedUploads",
  "mappedUploadBytes",
  "copies",
  "copyBytes",
  "pipelines",
  "modules",
  "buffers",
  "bufferBytes",
  "buffersDestroyed",
  "textures",
  "bindGroups",
  "submitMs",
  "waitMs",
  "sleepMs",
  "uploadMs",
  "compileMs",
  "ownMs",
  "createMs"
];
var HOST_KINDS = [
  "encode",
  "submit",
  "upload",
  "read",
  "compile",
  "wait",
  "sleep",
  "own",
  "compiling"
];
var UNKNOWN_KERNEL = -1;
var RENDER_PASS = -2;

// runtime/attach/patches/compute_passes.ts
var EMPTY = -1;
function patchComputePasses(patches, registry2, { encoders, kernels }) {
  const passes = createTag();
  const bindings = createTag();
  const numbers = createTag();
  let buffers = 0;
  const numberOf = (buffer) => {
    const known = numbers.get(buffer);
    if (known === void 0) numbers.set(buffer, buffers);
    return known ?? buffers++;
  };
  const { prototype } = webgpu.GPUComputePassEncoder;
  patches.method(webgpu.GPUDevice.prototype, "createBindGroup", (gpu, args, call) => {
    const device = registry2.of(gpu);
    const start = device?.now() ?? 0;
    const group = call(gpu, args);
    device?.count("createMs", device.now() - start);
    device?.count("bindGroups");
    bindings.set(group, bindingsOf(args[0], numberOf));
    return group;
  });
  patches.method(webgpu.GPUCommandEncoder.prototype, "beginComputePass", (encoder, args, call) => {
    const commands = encoders.get(encoder);
    if (commands === void 0) return call(encoder, args);
    commands.computePasses++;
    const descriptor = args[0] ?? {};
    const slot = commands.device.slot(commands.between);
    const ownTimes = slot === null ? null : descriptor.timestampWrites ?? null;
    if (ownTimes !== null) writeOwnTime(encoder, ownTimes, "beginningOfPassWriteIndex");
    const pass = call(encoder, slot === null ? args : [timedDescriptor(descriptor, slot)]);
    if (slot !== null) use(commands, slot);
    passes.set(pass, {
      ...{ commands, encoder, label: pass.label, current: pass },
      ...{
        slot,
        timed: slot !== null,
        ownTimes,
        ended: false,
        pipeline: null,
        kernel: null,
        groups: /* @__PURE__ */ new Map(),
        debugGroups: []
      }
    });
    return pass;
  });
  const dispatch = (name, gridOf) => patches.method(prototype, name, (object, args, call) => {
    const pass = passes.get(object);
    if (pass === void 0 || pass.ended) return call(pass?.current ?? object, args);
    const { commands, kernel } = pass;
    commands.kernels.push(kernel);
    if (pass.timed && pass.slot !== null) {
      if (pass.slot.site !== EMPTY) split(pass);
      if (pass.slot !== null && pass.slot.site === EMPTY) {
        let bytes = 0;
        for (const [, group] of pass.groups.values()) {
          const bound = typeof group === "object" && group !== null ? bindings.get(group) : void 0;
          bytes += bound?.bytes ?? 0;
          for (const buffer of bound?.buffers ?? []) commands.bound.add(buffer);
        }
        pass.slot.site = commands.device.site({
          kernel: kernel?.index ?? UNKNOWN_KERNEL,
          ...{ grid: gridOf(args), bytes, line: commands.device.line(), pass: pass.label }
        });
      }
    } else commands.between++;
    return call(pass.current, args);
  });
  dispatch("dispatchWorkgroups", ([x, y = 1, z = 1]) => [Number(x), Number(y), Number(z)]);
  dispatch("dispatchWorkgroupsIndirect", () => null);
  patches.method(prototype, "setPipeline", (object, args, call) => {
    const pass = passes.get(object);
    if (pass === void 0) return call(object, args);
    const result = call(pass.current, args);
    const pipeline = args[0];
    pass.pipeline = pipeline;
    pass.kernel = kernels.get(pipeline) ?? null;
    return result;
  });
  patches.method(prototype, "setBindGroup", (object, args, call) => {
    const pass = passes.get(object);
    if (pass === void 0) return call(object, args);
    const result = call(pass.current, args);
    if (pass.timed) pass.groups.set(Number(args[0]), withOwnOffsets(args));
    return result;
  });
  patches.method(prototype, "pushDebugGroup", (object, args, call) => {
    const pass = passes.get(object);
    const result = call(pass?.current ?? object, args);
    pass?.debugGroups.push(String(args[0]));
    return result;
  });
  patches.method(prototype, "popDebugGroup", (object, args, call) => {
    const pass = passes.get(object);
    const result = call(pass?.current ?? object, args);
    pass?.debugGroups.pop();
    return result;
  });
  patches.method(
    prototype,
    "insertDebugMarker",
    (object, args, call) => call(passes.get(object)?.current ?? object, args)
  );
  patches.method(prototype, "end", (object, args, call) => {
    const pass = passes.get(object);
    if (pass === void 0) return call(object, args);
    const result = call(pass.current, args);
    if (pass.ended) return result;
    pass.ended = true;
    if (pass.ownTimes !== null) writeOwnTime(pass.encoder, pass.ownTimes, "endOfPassWriteIndex");
    return result;
  });
}
function split(pass) {
  const { commands, encoder, label, debugGroups } = pass;
  const slot = commands.device.slot(commands.between);
  if (slot === null) {
    if (pass.slot !== null) pass.slot.site = EMPTY;
    pass.slot = null;
    return;
  }
  for (const _ of debugGroups) native.popDebugGroup.call(pass.current);
  native.end.call(pass.current);
  pass.current = native.beginComputePass.call(encoder, timedDescriptor({ label }, slot));
  pass.slot = slot;
  use(commands, slot);
  for (const group of debugGroups) native.pushDebugGroup.call(pass.current, group);
  if (pass.pipeline !== null) native.setPipeline.call(pass.current, pass.pipeline);
  for (const args of pass.groups.values()) Reflect.apply(native.setBindGroup, pass.current, args);
}
function use(commands, slot) {
  commands.slots.push(slot);
  commands.between = 0;
}
function timedDescriptor(descriptor, { queries, at }) {
  const timestampWrites = { querySet: queries.set, beginningOfPassWriteIndex: at, endOfPassWriteIndex: at + 1 };
  return { ...descriptor, timestampWrites };
}
function writeOwnTime(encoder, times, index) {
  const at = times[index];
  if (at === void 0) return;
  const pass = native.beginComputePass.call(encoder, { timestampWrites: { querySet: times.querySet, [index]: at } });
  native.end.call(pass);
}
function withOwnOffsets(args) {
  const [index, group, offsets, start, length] = args;
  if (offsets === void 0) return args;
  const values = [...offsets];
  return [index, group, start === void 0 ? values : values.slice(start, start + (length ?? 0))];
}
function bindingsOf({ entries }, numberOf) {
  let bytes = 0;
  const buffers = [];
  for (const { resource } of entries) {
    if (resource instanceof webgpu.GPUBuffer) {
      bytes += resource.size;
      buffers.push(numberOf(resource));
    } else if ("buffer" in resource) {
      bytes += resource.size ?? resource.buffer.size - (resource.offset ?? 0);
      buffers.push(numberOf(resource.buffer));
    }
  }
  return { bytes, buffers };
}

// runtime/attach/patches/features.ts
var FEATURE = "timestamp-query";
var hidden = createTag();
function hideTimestamps(device) {
  if (Object.hasOwn(device, "features")) {
    Object.defineProperty(device, "features", { value: withoutTimestamps(device.features), configurable: true });
  }
  hidden.set(device.features, true);
}
function withoutTimestamps(features) {
  const names = new Set(features.keys());
  names.delete(FEATURE);
  const copy = Object.create(Object.getPrototypeOf(features));
  for (const name of ["has", "keys", "values", "entries", "forEach", Symbol.iterator]) {
    if (name in features) Object.defineProperty(copy, name, { value: names[name].bind(names) });
  }
  return Object.defineProperty(copy, "size", { value: names.size });
}
function hidesTimestamps(device) {
  return hidden.get(device.features) === true;
}
function patchFeatures(patches) {
  const { prototype } = webgpu.GPUSupportedFeatures;
  if (Object.getOwnPropertyDescriptor(prototype, "has")?.configurable === false) return;
  const visible = (features) => {
    const names = new Set(Reflect.apply(keys, features, []));
    names.delete(FEATURE);
    return names;
  };
  const keys = prototype.keys;
  for (const name of ["entries", "keys", "values", "forEach", "has"]) {
    patches.method(prototype, name, (features, args, call) => {
      if (hidden.get(features) === void 0) return call(features, args);
      const names = visible(features);
      return Reflect.apply(names[name], names, args);
    });
  }
  patches.method(
    prototype,
    Symbol.iterator,
    (features, args, call) => hidden.get(features) === void 0 ? call(features, args) : visible(features).values()
  );
  patches.getter(prototype, "size", (features, size) => hidden.get(features) === void 0 ? size : Number(size) - 1);
}

// runtime/attach/patches/devices.ts
var FEATURE2 = "timestamp-query";
var NO_ADAPTER = "requestAdapter() returned null: the program's WebGPU found no adapter that it supports";
var TOO_MANY = 1 << 20;
function patchDeviceRequests(patches, registry2, recording) {
  patchFeatures(patches);
  patches.method(webgpu.GPU.prototype, "requestAdapter", async (gpu, args, call) => {
    const adapter = await call(gpu, args);
    if (adapter === null) recording.realm.sink.write({ kind: "note", text: NO_ADAPTER });
    return adapter;
  });
  patches.method(webgpu.GPUAdapter.prototype, "requestDevice", async (adapter, args, call) => {
    const features = adapter.features;
    const descriptor = args[0];
    const asked = featuresOf(descriptor);
    const available = recording.settings.timing && features.has(FEATURE2);
    const adds = available && asked !== null && !asked.includes(FEATURE2);
    const isRead = asked !== null && Boolean(descriptor?.requiredFeatures);
    const requiredFeatures = adds ? [...asked, FEATURE2] : asked;
    const request = adds || isRead ? [{ ...descriptor, requiredFeatures }] : args;
    const gpu = await call(adapter, request);
    const hasTimestamps = gpu.features.has(FEATURE2);
    if (adds && hasTimestamps) hideTimestamps(gpu);
    const { info } = adapter;
    const device = registry2.add(gpu, gpu.queue, {
      label: gpu.label,
      adapter: info.description || info.device || info.vendor,
      timestamps: !hasTimestamps ? "none" : adds ? "added" : "program"
    }, recording);
    watch(gpu, device);
    await device.prime();
    return gpu;
  });
  patches.method(webgpu.GPUDevice.prototype, "createQuerySet", (gpu, args, call) => {
    const descriptor = args[0];
    const refuse = descriptor?.type === "timestamp" && hidesTimestamps(gpu);
    return call(gpu, refuse ? [{ ...descriptor, count: TOO_MANY }] : args);
  });
}
function featuresOf(descriptor) {
  if (descriptor === void 0 || descriptor === null) return [];
  if (typeof descriptor !== "object") return null;
  const { requiredFeatures = [] } = descriptor;
  const isSequence = typeof requiredFeatures === "object" && requiredFeatures !== null && Symbol.iterator in requiredFeatures;
  return isSequence ? [...requiredFeatures] : null;
}
function patchDevices(patches, registry2) {
  patches.method(webgpu.GPUDevice.prototype, "destroy", (gpu, args, call) => {
    registry2.of(gpu)?.destroyed();
    return call(gpu, args);
  });
  patches.method(webgpu.GPUDevice.prototype, "popErrorScope", (gpu, args, call) => {
    const device = registry2.of(gpu);
    const popped = call(gpu, args);
    if (device === void 0) return popped;
    return popped.then((error) => {
      if (error !== null) device.error(error.constructor.name, error.message, true);
      return error;
    });
  });
}
function watch(gpu, device) {
  gpu.addEventListener("uncapturederror", (event) => {
    const { error } = event;
    device.error(error.constructor.name, error.message, false);
  });
  gpu.lost.then(({ reason, message }) => device.lost(reason, message)).catch(() => {
  });
}

// runtime/attach/patches/marks.ts
function patchMarks(patches, registry2) {
  for (const name of ["mark", "measure"]) {
    patches.method(Performance.prototype, name, (performance2, args, call) => {
      const entry = call(performance2, args);
      const start = entry?.startTime ?? performance2.now();
      registry2.mark({ name: String(args[0]), start, end: start + (entry?.duration ?? 0) });
      return entry;
    });
  }
}

// runtime/attach/hash.ts
var HASH_SEED = 2166136261;
function mix(hash, value) {
  return Math.imul(hash ^ value, 16777619) >>> 0;
}
function hashText(text) {
  let hash = HASH_SEED;
  for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i));
  return hash;
}
function shortHash(hash) {
  return hash.toString(16).padStart(8, "0").slice(0, 6);
}

// runtime/attach/wgsl.ts
var CHARACTERISTIC = "exp exp2 log log2 tanh sin cos erf sqrt inverseSqrt pow atomicAdd atomicMax dot max min abs clamp select".split(" ");
var OPERATORS = "* multiply, / divide, + add, - subtract".split(", ").map((pair) => pair.split(" "));
var MAX_FUNCTIONS = 3;
function withoutComments(code) {
  return code.replace(/\/\*[\s\S]*?\*\//g, " ").replace(/\/\/[^\n]*/g, " ");
}
function computeEntryPoints(code) {
  return [...withoutComments(code).matchAll(/@compute\b[^{};]*?\bfn\s+([\p{XID_Start}_][\p{XID_Continue}]*)/gu)].map(([, name]) => name);
}
function describeKernel(code, entryPoint) {
  const source = withoutComments(code);
  const body = reachableCode(source, entryPoint);
  const loops = (body.match(/\b(for|while|loop)\b/g) ?? []).length;
  const calls = CHARACTERISTIC.filter((name) => new RegExp(`\\b${name}\\s*[(<]`).test(body)).slice(0, MAX_FUNCTIONS);
  const shared = /\bworkgroupBarrier\b/.test(body) ? ["shared memory"] : [];
  const subgroups = /\bsubgroup[A-Z]\w*\s*\(/.test(body) ? ["subgroups"] : [];
  return [accumulation(body, loops) ?? map(body, calls), ...shared, ...subgroups].join(", ");
}
function accumulation(body, loops) {
  if (loops === 0) return null;
  if (/\bfma\s*\(/.test(body) || /\bdot\s*\(/.test(body)) return "multiply-add loop";
  const bare = body.replace(/\bfor\s*\([^;]*;[^;]*;[^{]*\{/g, "{");
  const sums = [...bare.matchAll(/([\w.[\]]+)\s*(?:\+=\s*([^;]+);|=\s*\1\s*\+\s*([^;]+);)/g)].map(([, name, added, other]) => ({ name, added: (added ?? other).trim() })).filter(({ added }) => !/^(1|1u|1i|[\w.]*[sS]tride|[A-Z_\d]+u?)$/.test(added));
  if (sums.some(({ added }) => /\*/.test(added))) return "multiply-add loop";
  if (/\bexp2?\s*\(/.test(body) && /\bmax\s*\(/.test(body)) return "max, exp and sum loop";
  if (sums.length > 0) return "sum loop";
  if (/=\s*max\s*\(/.test(body)) return "max loop";
  if (/=\s*min\s*\(/.test(body)) return "min loop";
  return "loop";
}
function map(body, calls) {
  if (calls.length > 0) return `map ${calls.join(", ")}`;
  const stored = body.split(/[;{}]/).map((statement) => statement.replace(/\[[^\]]*\]/g, "").trim()).map((statement) => /^(?!(?:let|var|const)\b)[\w.]+\s*=(?!=)(.+)$/s.exec(statement)?.[1] ?? "");
  const used = OPERATORS.filter(([sign]) => stored.some((value) => value.includes(sign))).map(([, name]) => name);
  return used.length > 0 ? `map ${used.join(", ")}` : "copy";
}
function reachableCode(source, entryPoint) {
  const bodies = /* @__PURE__ */ new Map();
  for (const match of source.matchAll(/\bfn\s+([\p{XID_Start}_][\p{XID_Continue}]*)\s*\(/gu)) {
    bodies.set(match[1], bodyFrom(source, match.index + match[0].length));
  }
  const reached = /* @__PURE__ */ new Set([entryPoint]);
  for (const name of reached) {
    for (const [, called] of (bodies.get(name) ?? "").matchAll(/\b([\p{XID_Start}_][\p{XID_Continue}]*)\s*\(/gu)) {
      if (bodies.has(called)) reached.add(called);
    }
  }
  return [...reached].map((name) => bodies.get(name) ?? "").join("\n");
}
function bodyFrom(source, from) {
  const open = source.indexOf("{", from);
  if (open < 0) return "";
  let depth = 0;
  for (let i = open; i < source.length; i++) {
    if (source[i] === "{") depth++;
    else if (source[i] === "}" && --depth === 0) return source.slice(open + 1, i);
  }
  return source.slice(open + 1);
}

// runtime/attach/patches/pipelines.ts
function patchPipelines(patches, registry2) {
  const shaders = createTag();
  const kernels = createTag();
  const { prototype } = webgpu.GPUDevice;
  patches.method(prototype, "createShaderModule", (gpu, args, call) => {
    const device = registry2.of(gpu);
    if (device === void 0) return call(gpu, args);
    const start = device.now();
    const module = call(gpu, args);
    device.compiling(start, device.now());
    const code = String(args[0].code);
    const shader = {
      label: module.label,
      hash: shortHash(hashText(code)),
      code,
      entryPoints: computeEntryPoints(code)
    };
    shaders.set(module, shader);
    device.module(shader.label, shader.hash, shader.entryPoints);
    return module;
  });
  const kernelOf = (device, { label, compute }) => {
    const shader = shaders.get(compute.module);
    const entryPoint = compute.entryPoint ?? shader?.entryPoints[0] ?? "";
    return device.kernel({
      label: [label, shader?.label].find(isName) ?? "",
      entryPoint,
      hash: shader?.hash ?? "",
      constants: JSON.stringify(compute.constants ?? {}),
      describe: () => shader === void 0 ? "" : describeKernel(shader.code, entryPoint)
    });
  };
  for (const type of ["compute", "render"]) {
    const name = type === "compute" ? "Compute" : "Render";
    const note = (device, pipeline, args) => {
      if (type === "render") return null;
      const kernel = kernelOf(device, args[0]);
      kernels.set(pipeline, kernel);
      return kernel;
    };
    patches.method(prototype, `create${name}Pipeline`, (gpu, args, call) => {
      const device = registry2.of(gpu);
      if (device === void 0) return call(gpu, args);
      const start = device.now();
      const pipeline = call(gpu, args);
      const end = device.now();
      device.compiling(start, end);
      device.count("pipelines");
      const facts = { start, callMs: end - start, readyMs: null, line: device.line() };
      device.pipeline(type, note(device, pipeline, args), facts);
      return pipeline;
    });
    patches.method(prototype, `create${name}PipelineAsync`, (gpu, args, call) => {
      const device = registry2.of(gpu);
      if (device === void 0) return call(gpu, args);
      const line = device.line();
      const start = device.now();
      const promise = call(gpu, args);
      const end = device.now();
      device.compiling(start, end);
      device.count("pipelines");
      return promise.then((pipeline) => {
        const ready = device.now();
        device.interval("compiling", end, ready);
        const facts = { start, callMs: end - start, readyMs: ready - start, line };
        device.pipeline(type, note(device, pipeline, args), facts);
        return pipeline;
      });
    });
  }
  return kernels;
}
function isName(label) {
  return label !== void 0 && label !== "" && label !== "<unnamed>";
}

// runtime/attach/patches/queue.ts
function patchQueue(patches, registry2, submitted) {
  const { prototype } = webgpu.GPUQueue;
  patches.method(prototype, "submit", (queue, args, call) => {
    const device = registry2.of(queue);
    const list = args[0];
    if (device === void 0 || typeof list?.[Symbol.iterator] !== "function") return call(queue, args);
    const buffers = [...list];
    const unread = Object.is(list[Symbol.iterator](), list) ? [buffers] : args;
    const start = device.now();
    const result = call(queue, unread);
    device.submitted(buffers.flatMap((buffer) => submitted.get(buffer) ?? []), start, device.now());
    return result;
  });
  patches.method(prototype, "writeBuffer", (queue, args, call) => {
    const device = registry2.of(queue);
    if (device === void 0) return call(queue, args);
    const start = device.now();
    const result = call(queue, args);
    const bytes = writtenBytes(args);
    device.upload(bytes.byteLength, start, device.now());
    const [buffer, offset] = args;
    device.realm.tap?.write({ buffer, offset, bytes });
    return result;
  });
  patches.method(prototype, "writeTexture", (queue, args, call) => {
    const device = registry2.of(queue);
    if (device === void 0) return call(queue, args);
    const start = device.now();
    const result = call(queue, args);
    const [texture, data, layout, size] = args;
    device.upload(data.byteLength, start, device.now());
    device.realm.tap?.write({ texture, layout, size, bytes: bytesIn(data) });
    return result;
  });
  patches.method(prototype, "onSubmittedWorkDone", (queue, args, call) => {
    const device = registry2.of(queue);
    if (device === void 0) return call(queue, args);
    const start = device.now();
    return recordWait(device, start, call(queue, args));
  });
}
function writtenBytes(args) {
  const [, , data, offset = 0, size] = args;
  const unit = "BYTES_PER_ELEMENT" in data ? Number(data.BYTES_PER_ELEMENT) : 1;
  return bytesIn(data).subarray(offset * unit, size === void 0 ? void 0 : (offset + size) * unit);
}
function bytesIn(data) {
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
}

// runtime/attach/patches/render_passes.ts
function patchRenderPasses(patches, encoders) {
  patches.method(webgpu.GPUCommandEncoder.prototype, "beginRenderPass", (encoder, args, call) => {
    const commands = encoders.get(encoder);
    if (commands === void 0) return call(encoder, args);
    const { device } = commands;
    const descriptor = args[0];
    const selfTimed = descriptor?.timestampWrites !== void 0;
    const slot = selfTimed || descriptor === void 0 ? null : device.slot(commands.between);
    if (slot === null) {
      const pass2 = call(encoder, args);
      commands.renderPasses.push({ label: pass2.label, selfTimed });
      commands.between++;
      return pass2;
    }
    const { queries, at } = slot;
    const timestampWrites = { querySet: queries.set, beginningOfPassWriteIndex: at, endOfPassWriteIndex: at + 1 };
    const pass = call(encoder, [{ ...descriptor, timestampWrites }]);
    commands.renderPasses.push({ label: pass.label, selfTimed });
    slot.site = device.site({ kernel: RENDER_PASS, grid: null, bytes: 0, line: device.line(), pass: pass.label });
    commands.slots.push(slot);
    commands.between = 0;
    return pass;
  });
}

// runtime/attach/install.ts
function install(registry2, requested) {
  captureNative();
  const patches = new Patches();
  if (requested !== null) patchDeviceRequests(patches, registry2, requested);
  const kernels = patchPipelines(patches, registry2);
  const { encoders, finished } = patchCommands(patches, registry2);
  patchDevices(patches, registry2);
  patchBuffers(patches, registry2);
  patchComputePasses(patches, registry2, { encoders, kernels });
  patchRenderPasses(patches, encoders);
  patchQueue(patches, registry2, finished);
  patchMarks(patches, registry2);
  return patches;
}

// runtime/attach/line_sink.ts
var FULL = 64 * 1024;
var INTERVAL = 100;
var PROMPT = 100;
var LineSink = class {
  #write;
  #encoder = new TextEncoder();
  #now;
  #pending = "";
  #written;
  #writes = 0;
  #failed = false;
  /** @param write appends bytes to the file, and returns the number of those written */
  constructor(write, now2) {
    this.#write = write;
    this.#now = now2;
    this.#written = now2();
  }
  write(record) {
    if (this.#failed) return;
    this.#pending += `${JSON.stringify(record)}
`;
    if (this.#pending.length > FULL) this.#save();
  }
  flush(isEnd) {
    if (this.#pending === "" || this.#failed) return;
    if (isEnd || this.#writes < PROMPT || this.#now() - this.#written > INTERVAL) this.#save();
  }
  #save() {
    const bytes = this.#encoder.encode(this.#pending);
    this.#pending = "";
    this.#writes++;
    this.#written = this.#now();
    try {
      for (let at = 0; at < bytes.length; ) at += this.#write(bytes.subarray(at));
    } catch {
      this.#failed = true;
    }
  }
};

// runtime/attach/settings.ts
function isStepName(name) {
  return /^step(?![a-z])/i.test(name);
}
function parseSteps(text) {
  if (text === "auto" || text === "wait" || text === "mark") return { by: text };
  const count = Number(/^submit:(\d+)$/.exec(text)?.[1]);
  return Number.isSafeInteger(count) && count > 0 ? { by: "submit", count } : null;
}

// runtime/attach/query.ts
function readQuery({ searchParams }) {
  const text = (name) => searchParams.get(name) ?? "";
  return {
    folder: text("folder"),
    realm: text("realm"),
    settings: {
      steps: parseSteps(text("steps")) ?? { by: "auto" },
      stack: text("stack") === "true",
      budget: Number(text("budget")),
      timing: text("timing") === "true"
    }
  };
}

// runtime/attach/realm.ts
function beginRecords({ sink: sink2, now: now2 }, name) {
  sink2.write({ kind: "start", version: RECORDS_VERSION, realm: name, time: now2(), timeOrigin: performance.timeOrigin });
}

// runtime/attach/call_site.ts
var DEPTH = 100;
var PACKAGE = /\/node_modules\/|\/npm\/[^/]+\/(@[^/]+\/)?[^/]+\/\d+\.\d+\.\d+[^/]*\//;
var OWN2 = import.meta.url.replace(/[^/]*$/, "");
function callSite() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = DEPTH;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = limit;
  for (const frame of stack.split("\n").slice(1)) {
    const [, url, line] = /\(?((?:file|https?|data|blob):[^\s)]+?):(\d+):\d+\)?$/.exec(frame) ?? [];
    if (url === void 0 || line === void 0 || url.startsWith(OWN2)) continue;
    if (PACKAGE.test(url)) continue;
    return `${decodeURIComponent(url.split("?")[0].split("/").at(-1) ?? url)}:${line}`;
  }
  return null;
}

// runtime/attach/event_log.ts
var MAX_ERRORS = 100;
var EventLog = class {
  #device;
  #realm;
  #errors = 0;
  constructor(device, realm2) {
    this.#device = device;
    this.#realm = realm2;
  }
  module(label, hash, entryPoints) {
    this.#realm.sink.write({ kind: "module", device: this.#device, time: this.#realm.now(), label, hash, entryPoints });
  }
  /** @param cuts number of stretches that have ended */
  pipeline(type, kernel, { start, callMs, readyMs, line }, cuts) {
    const facts = { type, async: readyMs !== null, callMs, readyMs, kernel: kernel?.index ?? null, line };
    this.#realm.sink.write({ kind: "pipeline", device: this.#device, time: start, cuts, ...facts });
  }
  error(type, message, scoped) {
    if (this.#errors++ >= MAX_ERRORS) return;
    this.#realm.sink.write({ kind: "error", device: this.#device, time: this.#realm.now(), type, message, scoped });
  }
  lost(reason, message) {
    this.#realm.sink.write({ kind: "lost", device: this.#device, time: this.#realm.now(), reason, message });
  }
};

// runtime/attach/growing_interval.ts
var FIRST = 50;
var LAST = 1e3;
var GrowingInterval = class {
  #last = -Infinity;
  #interval = FIRST;
  /** Returns true if the interval has passed since the last time. */
  due(time) {
    return time - this.#last > this.#interval;
  }
  /** Begins the next interval, twice as long, up to a second. */
  begin(time) {
    if (this.#last !== -Infinity) this.#interval = Math.min(LAST, 2 * this.#interval);
    this.#last = time;
  }
};

// runtime/attach/kernel_table.ts
var KernelTable = class {
  #device;
  #sink;
  #kernels = /* @__PURE__ */ new Map();
  #calls = [];
  #sites = /* @__PURE__ */ new Map();
  /** False for the sites of render passes. */
  #isKernel = [];
  constructor(device, sink2) {
    this.#device = device;
    this.#sink = sink2;
  }
  /** Dispatches of each kernel. */
  get calls() {
    return this.#calls;
  }
  /** Counts a dispatch. */
  called({ index }) {
    this.#calls[index]++;
  }
  /**
   * Returns a kernel, recording it at its first use.
   *
   * @param line returns the program's line that creates it
   */
  kernel(facts, line) {
    const { label, entryPoint, hash, constants } = facts;
    const key = JSON.stringify([label, entryPoint, hash, constants]);
    let kernel = this.#kernels.get(key);
    if (kernel === void 0) {
      kernel = { index: this.#kernels.size, symbol: hashText(`${hash} ${entryPoint} ${constants}`) };
      this.#kernels.set(key, kernel);
      this.#calls.push(0);
      const named = { kernel: kernel.index, label, entryPoint, hash, does: facts.describe(), line: line() };
      this.#sink.write({ kind: "kernel", device: this.#device, ...named });
    }
    return kernel;
  }
  /** Returns the index of a site, recording it at its first dispatch. */
  site(facts) {
    const { kernel, grid, bytes, line, pass } = facts;
    const key = `${kernel} ${grid} ${bytes} ${line} ${pass}`;
    let site = this.#sites.get(key);
    if (site === void 0) {
      site = this.#sites.size;
      this.#sites.set(key, site);
      this.#isKernel.push(kernel !== RENDER_PASS);
      this.#sink.write({ kind: "site", device: this.#device, site, ...facts });
    }
    return site;
  }
  /** Returns whether a site dispatches a kernel; false for render passes. */
  dispatches(site) {
    return site >= 0 && this.#isKernel[site];
  }
};

// runtime/attach/memory_tracker.ts
var GROWTH = 1.01;
var LARGEST = 10;
var MAX_KEPT = 2e3;
var MemoryTracker = class {
  #groups = /* @__PURE__ */ new Map();
  #live = /* @__PURE__ */ new Set();
  #collected = /* @__PURE__ */ new Map();
  #bytes = 0;
  #peak = 0;
  #kept = 0;
  #keptPeak = 0;
  #peakTime = 0;
  #listedPeak = 0;
  #largest = [];
  get bytes() {
    return this.#bytes;
  }
  get peak() {
    return this.#peak;
  }
  /** Peak of the bytes that the program has not destroyed, which does not depend on the garbage collector. */
  get keptPeak() {
    return this.#keptPeak;
  }
  create(facts) {
    const { label, size, usage, line } = facts;
    const key = JSON.stringify([label, size, usage, line]);
    let group = this.#groups.get(key);
    if (group === void 0) {
      group = { label, size, usage, line, created: 0, destroyed: 0, collected: 0, kept: [] };
      this.#groups.set(key, group);
    }
    group.created++;
    const buffer = { ...facts, group, live: true };
    this.#live.add(buffer);
    this.#bytes += size;
    this.#kept += size;
    this.#keptPeak = Math.max(this.#keptPeak, this.#kept);
    if (this.#bytes > this.#peak) {
      this.#peak = this.#bytes;
      this.#peakTime = facts.created;
    }
    return buffer;
  }
  destroy(buffer) {
    if (!buffer.live) return;
    buffer.group.destroyed++;
    this.#kept -= buffer.size;
    this.#remove(buffer);
  }
  /** Notes that the garbage collector has freed a buffer that was never destroyed. */
  collect(buffer) {
    if (!buffer.live) return;
    buffer.group.collected++;
    const cuts = this.#collected.get(buffer.group) ?? [];
    this.#collected.set(buffer.group, cuts);
    if (cuts.length < MAX_KEPT) cuts.push(buffer.cuts);
    this.#remove(buffer);
  }
  /** Returns the peak with its largest buffers, and all groups of buffers. */
  state() {
    this.#list();
    const kept = /* @__PURE__ */ new Map();
    for (const { group, cuts } of this.#live) {
      const list = kept.get(group) ?? [];
      if (list.length === 0) kept.set(group, list);
      if (list.length < MAX_KEPT) list.push(cuts);
    }
    const buffers = [...this.#groups.values()].map((group) => ({
      ...group,
      kept: [
        ...this.#collected.get(group) ?? [],
        ...kept.get(group) ?? []
      ].sort((a, b) => a - b)
    }));
    return { peakTime: this.#peakTime, largest: this.#largest, buffers };
  }
  #remove(buffer) {
    this.#list();
    buffer.live = false;
    this.#live.delete(buffer);
    this.#bytes -= buffer.size;
  }
  /** Lists the largest buffers while memory is at a new peak. */
  #list() {
    if (this.#bytes < this.#peak || this.#peak < this.#listedPeak * GROWTH) return;
    if (this.#peak === this.#listedPeak) return;
    this.#listedPeak = this.#peak;
    this.#largest = [...this.#live].sort((a, b) => b.size - a.size).slice(0, LARGEST).map(({ group, created }) => ({
      label: group.label,
      size: group.size,
      usage: group.usage,
      line: group.line,
      created
    }));
  }
};

// runtime/record/clock_step.ts
var MIN = 4;
var MIN_FRACTIONAL = 16;
var SHORTEST_FRACTIONAL = 8;
var ROUNDING = 1;
function clockStep(readings) {
  const sorted = [...new Set(readings)].sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
  const distances = [...new Set(sorted.slice(1).map((value, i) => Number(value - sorted[i])))].sort((a, b) => a - b);
  if (distances.length < MIN) return null;
  const whole = distances.reduce(greatestCommonDivisor);
  if (whole > 1 || distances.length < MIN_FRACTIONAL) return whole;
  return fractionalStep(distances) ?? whole;
}
function fractionalStep(distances) {
  for (let parts = 1; distances[0] / parts >= SHORTEST_FRACTIONAL; parts++) {
    const step = refine(distances[0] / parts, ROUNDING / parts, distances);
    if (step !== null) return step;
  }
  return null;
}
function refine(first, firstError, distances) {
  let [step, error] = [first, firstError];
  let fitting = 0;
  for (const distance of distances) {
    const ticks = Math.round(distance / step);
    if (ticks * error > step / 4) break;
    if (Math.abs(distance - ticks * step) > ROUNDING + ticks * error) return null;
    fitting++;
    if (ROUNDING / ticks < error) [step, error] = [distance / ticks, ROUNDING / ticks];
  }
  return fitting >= MIN_FRACTIONAL ? step : null;
}
function greatestCommonDivisor(a, b) {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

// runtime/record/device_samples.ts
var NO_DEFECTS = {
  missing: 0,
  reset: 0,
  outside: 0,
  stale: 0,
  zero: 0,
  negative: 0,
  overlapping: 0,
  quantised: 0
};
function cleanPasses(raw, since) {
  const counts = { ...NO_DEFECTS };
  let previous = { begin: since, end: since };
  const passes = raw.map((pass) => {
    const { defect, kept } = judge(pass, previous, since);
    if (defect !== null) counts[defect]++;
    const fresh = kept !== null || defect === "zero" && pass.end > previous.end;
    if (fresh) previous = pass;
    return kept;
  });
  const resolution = clockStep(passes.flatMap((pass, i) => pass === null ? [] : [raw[i].begin, raw[i].end]));
  if (resolution !== null && resolution > 1) {
    const step = BigInt(Math.ceil(resolution));
    counts.quantised = passes.filter((pass) => pass !== null && pass.end - pass.begin <= step).length;
  }
  return { passes, defects: counts, resolution, last: previous.end };
}
function judge(pass, previous, since) {
  const { begin, end, within, reset } = pass;
  if (begin === 0n || end === 0n) return { defect: "missing", kept: null };
  if (reset) return { defect: "reset", kept: null };
  if (end < begin) return { defect: "negative", kept: null };
  if (within !== void 0 && end > within.end) return { defect: "outside", kept: null };
  if (within !== void 0 && begin < within.begin) return { defect: "stale", kept: null };
  if (begin < since) return { defect: "stale", kept: null };
  if (begin === end) return { defect: "zero", kept: null };
  if (begin === previous.begin && end === previous.end) return { defect: "stale", kept: null };
  if (end <= previous.end && begin < previous.begin) return { defect: "stale", kept: null };
  if (end <= previous.end) return { defect: "overlapping", kept: null };
  if (begin < previous.end) return { defect: "overlapping", kept: { begin: previous.end, end } };
  return { defect: null, kept: { begin, end } };
}
function addDefects(a, b) {
  return {
    missing: a.missing + b.missing,
    reset: a.reset + b.reset,
    outside: a.outside + b.outside,
    stale: a.stale + b.stale,
    zero: a.zero + b.zero,
    negative: a.negative + b.negative,
    overlapping: a.overlapping + b.overlapping,
    quantised: a.quantised + b.quantised
  };
}

// runtime/attach/checked_passes.ts
var PassChecker = class {
  #axis;
  #last = 0n;
  constructor(axis) {
    this.#axis = axis;
  }
  /**
   * Checks the passes of one reading. They may overlap. Passes that begin and end in the same tick of the clock are kept with
   * no length, since runs of them have one.
   *
   * @param passes passes in the order of execution
   * @param done host time in ms at which the device was done with all of them
   */
  check(passes, done) {
    let defects = NO_DEFECTS;
    let [still, overlapping] = [0, 0];
    const since = this.#last;
    const times = passes.map(({ begin, end, submitted }) => {
      if (begin === end && begin === this.#axis.still) {
        still++;
        return null;
      }
      const placed = this.#axis.place({ begin, end }, { submitted, done });
      const cleaned = cleanPasses([placed], since);
      defects = addDefects(defects, cleaned.defects);
      const kept = cleaned.defects.zero > 0 ? { begin: placed.begin, end: placed.end } : cleaned.passes[0] ?? null;
      if (kept === null) return null;
      if (kept.begin < this.#last) overlapping++;
      if (kept.end > this.#last) this.#last = kept.end;
      return kept;
    });
    const step = clockStep(passes.flatMap(({ begin, end }, i) => times[i] === null ? [] : [begin, end]));
    const toMs = (time) => time === void 0 ? null : inNanoseconds(this.#axis.toHost(time));
    return {
      begin: times.map((time) => toMs(time?.begin)),
      end: times.map((time) => toMs(time?.end)),
      defects: occurred({ ...defects, overlapping, still }),
      resolution: step === null ? null : step * this.#axis.nsPerTick
    };
  }
};
function occurred(defects) {
  return Object.fromEntries(Object.entries(defects).filter(([, count]) => count > 0));
}
function inNanoseconds(ms) {
  return ms === null ? null : Math.round(ms * 1e6) / 1e6;
}

// runtime/record/clock_track.ts
var SLACK_MS = 0.5;
var DRIFT = { min: 1e-4, max: 0.02 };
var RECENT = 3;
var ClockTrack = class {
  #epochs = [];
  #rate = null;
  #still = null;
  /** Timestamp at which the device's clock stood still when it was last observed; null if it ran. */
  get still() {
    return this.#still;
  }
  /** Number of wraps and resets so far. */
  get resets() {
    return Math.max(0, this.#epochs.length - 1);
  }
  /** True if the rate is known, so that passes can be bounded. */
  get calibrated() {
    return this.#rate !== null;
  }
  /** Host nanoseconds per tick: 1 as in the standard, if the measured rate allows it. */
  get nsPerTick() {
    const { value, uncertainty } = this.#rate ?? { value: 1, uncertainty: 0 };
    return Math.abs(value - 1) <= uncertainty ? 1 : value;
  }
  /**
   * Adds samples of one moment, as the device wrote them, and returns the most precise one on the continuous axis. Returns
   * `null` if no majority of them agrees, or if the device's clock stands still.
   */
  observe(samples) {
    const sample = this.#agreed(samples);
    if (sample === null) return null;
    const epoch = this.#epochs.at(-1);
    if (epoch === void 0) return this.#begin(sample, 0n);
    const elapsed = sample.hostMs - epoch.last.hostMs;
    const ticks = Number(sample.deviceNs - epoch.last.deviceNs);
    const uncertainty = sample.uncertaintyMs + epoch.last.uncertaintyMs + SLACK_MS;
    this.#still = ticks === 0 && elapsed > uncertainty ? sample.deviceNs : null;
    if (this.#still !== null) return null;
    const continues = this.#rate === null ? ticks > 0 : Math.abs(this.#toMs(ticks) - elapsed) <= uncertainty + elapsed * this.#drift;
    if (!continues) {
      if (ticks > 0 && this.#toMs(ticks) < elapsed && isStill(samples)) {
        this.#still = sample.deviceNs;
        return null;
      }
      const now2 = epoch.last.deviceNs + epoch.shift + this.#toTicks(elapsed);
      return this.#begin(sample, now2 - sample.deviceNs);
    }
    epoch.last = sample;
    this.#refine(epoch);
    return { ...sample, deviceNs: sample.deviceNs + epoch.shift };
  }
  /** Moves a pass to the continuous axis, and bounds it by the host's times of its submit. */
  place(pass, bracket) {
    const { begin, end } = pass;
    if (this.#rate === null || begin === 0n || end === 0n) return pass;
    const recent = this.#epochs.slice(-RECENT).map((epoch) => ({ ...epoch, bounds: this.#bounds(epoch, bracket) }));
    const holds = (epoch, time) => recent[epoch].bounds.begin <= time && time <= recent[epoch].bounds.end;
    const indices = [...recent.keys()];
    const begun = indices.findLast((epoch) => holds(epoch, begin));
    const ended = indices.findLast((epoch) => holds(epoch, end));
    const whole = indices.findLast((epoch) => holds(epoch, begin) && holds(epoch, end));
    const across = whole === void 0 && begun !== void 0 && ended !== void 0 && begun < ended;
    const first = recent[whole ?? begun ?? ended ?? recent.length - 1];
    const last = across ? recent[ended] : first;
    return {
      begin: begin + first.shift,
      end: end + last.shift,
      within: { begin: first.bounds.begin + first.shift, end: last.bounds.end + last.shift },
      ...across ? { reset: true } : {}
    };
  }
  #begin(sample, shift) {
    this.#epochs.push({ shift, first: sample, last: sample });
    return { ...sample, deviceNs: sample.deviceNs + shift };
  }
  /** Returns the most precise of the samples that agree with at least half of them. */
  #agreed(samples) {
    const agree = (a, b) => Math.abs(this.#toMs(Number(a.deviceNs - b.deviceNs)) - (a.hostMs - b.hostMs)) <= a.uncertaintyMs + b.uncertaintyMs + SLACK_MS;
    return samples.filter((sample) => 2 * samples.filter((other) => agree(sample, other)).length >= samples.length).toSorted((a, b) => a.uncertaintyMs - b.uncertaintyMs)[0] ?? null;
  }
  /** Takes the rate over an epoch if it is more precise than the known one. */
  #refine({ first, last }) {
    const ticks = Number(last.deviceNs - first.deviceNs);
    if (ticks <= 0) return;
    const value = (last.hostMs - first.hostMs) * 1e6 / ticks;
    const uncertainty = (first.uncertaintyMs + last.uncertaintyMs) * 1e6 / ticks;
    const limit = this.#rate?.uncertainty ?? value * DRIFT.max;
    if (value > 0 && uncertainty <= limit) this.#rate = { value, uncertainty };
  }
  /** Returns the earliest and the latest time that a bracket allows, on the epoch's own axis. */
  #bounds({ first, last }, { submitted, done }) {
    const near = (time) => Math.abs(first.hostMs - time) < Math.abs(last.hostMs - time) ? first : last;
    const bound = (time, side) => {
      const { hostMs, deviceNs, uncertaintyMs } = near(time);
      const tolerance = SLACK_MS + uncertaintyMs + Math.abs(time - hostMs) * this.#drift;
      return deviceNs + this.#toTicks(time - hostMs + side * tolerance);
    };
    return { begin: bound(submitted, -1), end: bound(done, 1) };
  }
  /** Relative error of the rate. */
  get #drift() {
    const { value, uncertainty } = this.#rate ?? { value: 1, uncertainty: Infinity };
    return Math.min(DRIFT.max, Math.max(DRIFT.min, uncertainty / value));
  }
  #toMs(ticks) {
    return ticks * this.nsPerTick / 1e6;
  }
  #toTicks(ms) {
    return BigInt(Math.round(ms * 1e6 / this.nsPerTick));
  }
};
function isStill(samples) {
  return samples.length > 1 && samples.every(({ deviceNs }) => deviceNs === samples[0].deviceNs);
}

// runtime/attach/host_axis.ts
var HostAxis = class {
  #track = new ClockTrack();
  #latest = null;
  /** Host nanoseconds per tick of the device. */
  get nsPerTick() {
    return this.#track.nsPerTick;
  }
  /** Number of times that the device's clock wrapped around or was reset. */
  get resets() {
    return this.#track.resets;
  }
  /** Timestamp at which the device's clock stood still when it was last sampled; null if it ran. */
  get still() {
    return this.#track.still;
  }
  /** Largest error of a device time on the host's axis, in ms; null without a sample. */
  get error() {
    return this.#latest?.uncertaintyMs ?? null;
  }
  /** Takes samples of one moment on both clocks. */
  observe(samples) {
    this.#latest = this.#track.observe(samples) ?? this.#latest;
  }
  /** Moves a pass to the continuous axis of the clock, and bounds it by the host's times of its submit. */
  place(pass, bracket) {
    return this.#track.place(pass, bracket);
  }
  /** Converts a time on the continuous axis to the host's, in ms; null without a sample. */
  toHost(time) {
    if (this.#latest === null) return null;
    return this.#latest.hostMs + Number(time - this.#latest.deviceNs) * this.nsPerTick / 1e6;
  }
};

// runtime/attach/device_clock.ts
var BRACKETS = 6;
var INTERVAL2 = 250;
var DeviceClock = class {
  /** Bytes of its values in a buffer. */
  static bytes = BRACKETS * 2 * 8;
  axis = new HostAxis();
  #gpu;
  #queue;
  #set;
  #brackets = [];
  #sampled = -Infinity;
  #now;
  /** @param now the host's clock */
  constructor(gpu, queue, now2) {
    this.#now = now2;
    this.#gpu = gpu;
    this.#queue = queue;
    this.#set = native.createQuerySet.call(gpu, { label: "attach clock", type: "timestamp", count: BRACKETS * 2 });
  }
  /** Samples both clocks, waiting for the device. */
  *bracket() {
    yield native.onSubmittedWorkDone.call(this.#queue);
    const brackets = [];
    for (let i = 0; i < BRACKETS; i++) {
      const encoder = native.createCommandEncoder.call(this.#gpu, { label: "attach clock" });
      const pass = native.beginComputePass.call(encoder, {
        label: "attach clock",
        timestampWrites: { querySet: this.#set, beginningOfPassWriteIndex: 2 * i, endOfPassWriteIndex: 2 * i + 1 }
      });
      native.end.call(pass);
      const commands = native.finish.call(encoder);
      const before = this.#now();
      native.submit.call(this.#queue, [commands]);
      yield native.onSubmittedWorkDone.call(this.#queue);
      brackets.push({ before, after: this.#now() });
    }
    this.#brackets = brackets;
    this.#sampled = this.#now();
  }
  /** Samples both clocks if the last sample is old. */
  *bracketIfDue() {
    if (this.#now() - this.#sampled > INTERVAL2) yield* this.bracket();
  }
  /** Copies the values of the latest samples to a buffer. */
  resolve(encoder, buffer, offset) {
    if (this.#brackets.length > 0) native.resolveQuerySet.call(encoder, this.#set, 0, BRACKETS * 2, buffer, offset);
  }
  /** Takes the values that {@linkcode resolve} has copied. */
  observe(values) {
    const samples = this.#brackets.splice(0).flatMap(({ before, after }, i) => {
      const [begin, end] = [values[2 * i], values[2 * i + 1]];
      if (begin === 0n || end < begin) return [];
      return [{ hostMs: (before + after) / 2, deviceNs: (begin + end) / 2n, uncertaintyMs: (after - before) / 2 }];
    });
    if (samples.length > 0) this.axis.observe(samples);
  }
};

// runtime/attach/device_waits.ts
function doBlocking(work) {
  for (; ; ) {
    const { done, value } = work.next();
    if (done) return value;
    value.catch(() => {
    });
  }
}
async function doAwaiting(work) {
  for (; ; ) {
    const { done, value } = work.next();
    if (done) return value;
    await value;
  }
}

// runtime/attach/timestamp_pool.ts
var QUERIES = 4096;
var MAX_SETS = 12;
var VALUES = QUERIES * 8;
var TimestampPool = class {
  clock;
  #checker;
  #gpu;
  #queue;
  #free = [];
  #full = [];
  #current = null;
  #sets = 0;
  #resolved;
  #staging;
  #waitsBlock;
  #primed = false;
  #reading = false;
  constructor(gpu, queue, { now: now2, waitsBlock }) {
    this.#waitsBlock = waitsBlock;
    this.#gpu = gpu;
    this.#queue = queue;
    const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = webgpu.GPUBufferUsage;
    const size = VALUES + DeviceClock.bytes;
    const buffer = (usage) => native.createBuffer.call(gpu, { label: "attach", size, usage });
    this.#resolved = buffer(QUERY_RESOLVE | COPY_SRC);
    this.#staging = buffer(MAP_READ | COPY_DST);
    this.clock = new DeviceClock(gpu, queue, now2);
    this.#checker = new PassChecker(this.clock.axis);
  }
  /** Maps the staging buffer for the first time, which a later reading needs. */
  async prime() {
    if (this.#waitsBlock) doBlocking(this.clock.bracket());
    else await doAwaiting(this.clock.bracket());
    this.#resolve(null);
    await native.mapAsync.call(this.#staging, webgpu.GPUMapMode.READ);
    this.#observe(this.#mapped());
    this.#primed = true;
  }
  /** Returns queries for the next pass; null while all sets are in use. */
  slot(between) {
    let queries = this.#current;
    if (queries === null || queries.used + 2 > QUERIES) {
      if (queries !== null) this.#full.push(queries);
      this.#current = queries = this.#free.pop() ?? this.#create();
      if (queries === null) return null;
    }
    const slot = { queries, at: queries.used, site: -1, submit: -1, submitted: 0, order: 0, between, abandoned: false };
    queries.used += 2;
    queries.slots.push(slot);
    return slot;
  }
  /** Number of queries that were handed out since the last reading of the current set, and of full sets. */
  get waiting() {
    return this.#full.length * QUERIES + (this.#current?.used ?? 0);
  }
  /**
   * Reads the passes that were submitted; null if there are none. Blocks until the device is done, so call it where the
   * program has just waited.
   *
   * @param done time at which the program's own wait returned
   */
  read(done) {
    return doBlocking(this.#read(done));
  }
  /** Reads the passes that were submitted, where waits do not block; null if there are none, or another reading goes on. */
  async readLater(done) {
    if (this.#reading) return null;
    this.#reading = true;
    try {
      return await doAwaiting(this.#read(done));
    } finally {
      this.#reading = false;
    }
  }
  *#read(done) {
    if (!this.#primed) return null;
    yield* this.clock.bracketIfDue();
    const passes = [];
    const current = this.#current;
    if (!this.#waitsBlock) this.#current = null;
    for (const queries of [...this.#full.splice(0), ...current === null ? [] : [current]]) {
      passes.push(...yield* this.#readSet(queries));
      const open = queries.slots.length > 0;
      if (!open) queries.used = 0;
      if (queries === this.#current) continue;
      (open ? this.#full : this.#free).push(queries);
    }
    return passes.length === 0 ? null : this.#checked(passes.sort((a, b) => a.order - b.order), done);
  }
  *#readSet(queries) {
    const slots = queries.slots.filter(({ submit, site }) => submit >= 0 && site >= 0);
    queries.slots = queries.slots.filter(({ submit, abandoned }) => submit < 0 && !abandoned);
    if (slots.length === 0) return [];
    this.#resolve(queries);
    yield native.mapAsync.call(this.#staging, webgpu.GPUMapMode.READ);
    const values = this.#mapped();
    this.#observe(values);
    return slots.map((slot) => ({ ...slot, begin: values[slot.at], end: values[slot.at + 1] }));
  }
  #checked(passes, done) {
    return {
      site: passes.map(({ site }) => site),
      submit: passes.map(({ submit }) => submit),
      between: passes.map(({ between }) => between),
      ...this.#checker.check(passes, done)
    };
  }
  /** Copies the values of a set and of the clock to the staging buffer. */
  #resolve(queries) {
    const encoder = native.createCommandEncoder.call(this.#gpu, { label: "attach" });
    if (queries !== null) native.resolveQuerySet.call(encoder, queries.set, 0, queries.used, this.#resolved, 0);
    this.clock.resolve(encoder, this.#resolved, VALUES);
    native.copyBufferToBuffer.call(encoder, this.#resolved, 0, this.#staging, 0, this.#staging.size);
    native.submit.call(this.#queue, [native.finish.call(encoder)]);
  }
  #mapped() {
    const values = new BigUint64Array(native.getMappedRange.call(this.#staging).slice(0));
    native.unmap.call(this.#staging);
    return values;
  }
  #observe(values) {
    this.clock.observe(values.subarray(VALUES / 8));
  }
  #create() {
    if (this.#sets >= MAX_SETS) return null;
    this.#sets++;
    const set = native.createQuerySet.call(this.#gpu, { label: "attach", type: "timestamp", count: QUERIES });
    return { set, used: 0, slots: [] };
  }
};

// runtime/attach/pass_reader.ts
var READ_AFTER = 1024;
var READ_DISTANCE = 10;
var PassReader = class {
  #device;
  #realm;
  /** Timestamps of the passes; null if nothing is timed. */
  #pool;
  /** Time after which waiting queries are read regardless of their number. */
  #interval = new GrowingInterval();
  #readTime = 0;
  #readMs = 0;
  #unslotted = 0;
  #gone = false;
  constructor(device, realm2, pool) {
    this.#device = device;
    this.#realm = realm2;
    this.#pool = pool;
  }
  /** True if the device can time passes. */
  get times() {
    return this.#pool !== null;
  }
  /** True after {@linkcode stop}, or after the device failed. */
  get gone() {
    return this.#gone;
  }
  /** Dispatches that found all query sets in use. */
  get unslotted() {
    return this.#unslotted;
  }
  /** State of the device's clock. */
  get clock() {
    const axis = this.#pool?.clock.axis;
    return { nsPerTick: axis?.nsPerTick ?? 1, clockError: axis?.error ?? null, clockResets: axis?.resets ?? 0 };
  }
  /** Prepares reading timestamps. Reading waits until this is done. */
  async prime() {
    await this.#pool?.prime();
  }
  /** Returns queries for a pass; null if none are left. */
  slot(between) {
    const slot = this.#pool?.slot(between) ?? null;
    if (slot === null) this.#unslotted++;
    return slot;
  }
  /** Reads nothing more. */
  stop() {
    this.#gone = true;
  }
  /**
   * Reads within the call, where waits block.
   *
   * @param done time at which the program's own wait returned
   */
  read(done, isEnd) {
    const due = isEnd || this.#waiting >= READ_AFTER || this.#interval.due(done);
    if (!due || !this.#readable) return;
    try {
      this.#write(this.#pool?.read(done) ?? null, done);
    } catch {
      this.#gone = true;
    }
  }
  /** Reads as often as takes little time, since nothing can be read at the program's sudden end. */
  async readLater(done, isEnd) {
    const due = isEnd || done - this.#readTime > READ_DISTANCE * this.#readMs;
    if (!due || !this.#readable) return;
    try {
      this.#write(await this.#pool?.readLater(done) ?? null, done);
      this.#readMs = this.#realm.now() - done;
    } catch {
      this.#gone = true;
    }
  }
  get #waiting() {
    return this.#pool?.waiting ?? 0;
  }
  get #readable() {
    return this.#waiting > 0 && !this.#gone;
  }
  #write(passes, done) {
    if (passes !== null) this.#realm.sink.write({ kind: "passes", device: this.#device, ...passes });
    this.#readTime = done;
    this.#interval.begin(done);
  }
};
function createPassReader(gpu, queue, facts, timing, realm2) {
  const times = timing && facts.timestamps !== "none";
  return new PassReader(facts.device, realm2, times ? new TimestampPool(gpu, queue, realm2) : null);
}

// runtime/attach/period_tracker.ts
var LONGEST = 256;
var REMEMBERED = 2 * LONGEST;
var REPETITIONS = 2;
var MAX_DEMANDED = 64;
var PeriodTracker = class {
  #symbols = new Float64Array(REMEMBERED);
  /** Consecutive symbols that equal the one a period earlier, by period. */
  #matches = new Int32Array(LONGEST + 1);
  #count = 0;
  #period = 0;
  #phase = 0;
  /** Matches that are demanded of a period, where it broke before. */
  #demands = new Int32Array(LONGEST + 1);
  /** The trusted period, in symbols; 0 without one. */
  get period() {
    return this.#period;
  }
  /** Adds a symbol. Returns true if it completes a period. */
  add(symbol) {
    const at = this.#count++;
    this.#symbols[at % REMEMBERED] = symbol;
    for (let p = 1; p <= Math.min(LONGEST, at); p++) {
      this.#matches[p] = this.#symbols[(at - p) % REMEMBERED] === symbol ? this.#matches[p] + 1 : 0;
    }
    if (this.#period > 0) {
      if (this.#matches[this.#period] > 0) return ++this.#phase % this.#period === 0;
      const held = this.#phase + REPETITIONS * this.#period;
      this.#demands[this.#period] = Math.max(this.#demands[this.#period], Math.min(MAX_DEMANDED, 2 * held));
      this.#period = 0;
    }
    this.#period = this.#trusted();
    this.#phase = 0;
    return this.#period > 0;
  }
  /** Returns the shortest period that holds long enough. A multiple of a shorter one is none. */
  #trusted() {
    const holds = (period, matches) => this.#matches[period] >= matches;
    for (let p = 1; p <= LONGEST; p++) {
      if (!holds(p, Math.max(REPETITIONS * p, this.#demands[p]))) continue;
      let isMultiple = false;
      for (let q = 1; 2 * q <= p && !isMultiple; q++) isMultiple = p % q === 0 && holds(q, REPETITIONS * p);
      if (!isMultiple) return p;
    }
    return 0;
  }
};

// runtime/core/statistics.ts
function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// runtime/attach/timing_policy.ts
var REMEMBERED2 = 32;
var MIN2 = 3;
var DISPATCHES = 1e5;
var MAX_DOUBLINGS = 20;
var MAX_WITHOUT_STEPS = 5e5;
var TimingPolicy = class {
  /** Largest accepted slowdown of the program, as a fraction. */
  #budget;
  #timed = [];
  #untimed = [];
  #steps = 0;
  #dispatches = 0;
  constructor(budget) {
    this.#budget = budget;
  }
  /**
   * Reports a step and decides on the next one.
   *
   * @param wall time of the step in ms
   * @param timed dispatches that were timed in it, and all its dispatches
   * @param pending true if its work may still run: then two consecutive steps are timed, so that all work in the second one
   *   is known
   */
  step(wall, timed, pending = false) {
    this.#dispatches += timed.dispatches;
    if (timed.of > 0 && timed.dispatches === timed.of) remember(this.#timed, wall);
    else if (timed.dispatches === 0) remember(this.#untimed, wall);
    const together = pending ? 2 : 1;
    return ++this.#steps % (this.stride * together) < together;
  }
  /** Reports dispatches of a program whose steps are not known. Returns true while they are worth timing. */
  unknown(dispatches) {
    this.#dispatches += dispatches;
    return this.#dispatches < MAX_WITHOUT_STEPS;
  }
  /** Every how many steps one is timed. */
  get stride() {
    const growth = Math.min(MAX_DOUBLINGS, Math.floor(this.#dispatches / DISPATCHES));
    return Math.max(2, this.#strideOfBudget()) * 2 ** growth;
  }
  #strideOfBudget() {
    if (this.#timed.length < MIN2 || this.#untimed.length < MIN2) return 2;
    const cost = median(this.#timed) / median(this.#untimed) - 1;
    return cost > 0 ? Math.ceil(cost / this.#budget) : 2;
  }
};
function remember(values, value) {
  values.push(value);
  if (values.length > REMEMBERED2) values.shift();
}

// runtime/attach/step_timing.ts
var StepTiming = class {
  #policy;
  #period = new PeriodTracker();
  #marked = false;
  /** Time and dispatches of the current step, which may have several stretches. */
  #wall = 0;
  #ended = false;
  #timed = { dispatches: 0, of: 0 };
  /** @param budget largest slowdown by timing, as a fraction */
  constructor(budget) {
    this.#policy = new TimingPolicy(budget);
  }
  /** True if the latest stretch was the last of a step. */
  get ended() {
    return this.#ended;
  }
  /** Returns whether the next stretch is timed; null for no change. */
  next({ by, symbol, wall, dispatches, timedDispatches, explicit, pending }) {
    this.#ended = false;
    this.#wall += wall;
    this.#timed = { dispatches: this.#timed.dispatches + timedDispatches, of: this.#timed.of + dispatches };
    if (by === "mark") this.#marked = true;
    if (!explicit && by !== "mark" && symbol === 0) return null;
    if (explicit || (this.#marked ? by === "mark" : this.#period.add(symbol))) {
      this.#ended = true;
      const timing = this.#policy.step(this.#wall, this.#timed, pending);
      this.#wall = 0;
      this.#timed = { dispatches: 0, of: 0 };
      return timing;
    }
    return !this.#marked && this.#period.period === 0 ? this.#policy.unknown(timedDispatches) : null;
  }
};

// runtime/attach/stretch.ts
var MAX_INTERVALS = 2e4;
var INDEX = Object.fromEntries(TOTALS.map((name, i) => [name, i]));
var KIND = Object.fromEntries(HOST_KINDS.map((kind, i) => [kind, i]));
var StretchCounter = class {
  #totals = new Float64Array(TOTALS.length);
  #atCut = new Float64Array(TOTALS.length);
  #host = [];
  #symbol = HASH_SEED;
  /** Returns a count or time since the beginning. */
  total(name) {
    return this.#totals[INDEX[name]];
  }
  /** Adds to a count or a time in ms. */
  add(name, by) {
    this.#totals[INDEX[name]] += by;
  }
  /** Returns what a count or time has grown by since the last cut. */
  sinceCut(name) {
    return this.#totals[INDEX[name]] - this.#atCut[INDEX[name]];
  }
  /** True if anything was counted since the last cut. */
  get changed() {
    return this.#totals.some((total, i) => total !== this.#atCut[i]);
  }
  /** Hash of the kernels and render passes since the last cut; 0 without any. */
  get symbol() {
    return this.#symbol === HASH_SEED ? 0 : this.#symbol;
  }
  /** Adds a dispatch of a kernel, or a render pass, to the hash. */
  dispatched(symbol) {
    this.#symbol = mix(this.#symbol, symbol);
  }
  /** Adds an interval of the host's main thread. */
  interval(kind, start, end) {
    if (this.#host.length < 3 * MAX_INTERVALS) this.#host.push(KIND[kind], start, end);
  }
  /** Returns what was counted since the last cut, and begins the next stretch. */
  cut() {
    const totals = Array.from(this.#totals, (total, i) => rounded(total - this.#atCut[i]));
    const stretch = { symbol: this.symbol, totals, host: this.#host.map(rounded) };
    this.#atCut.set(this.#totals);
    this.#host = [];
    this.#symbol = HASH_SEED;
    return stretch;
  }
};
function rounded(value) {
  return Math.round(value * 1e4) / 1e4;
}

// runtime/attach/stretch_ends.ts
var SUBMITS_WITHOUT_WAIT = 16;
var StretchEnds = class {
  #steps;
  #called = false;
  #submitsSinceWait = 0;
  constructor(steps) {
    this.#steps = steps;
  }
  /** Event that ends steps. */
  get by() {
    return this.#called ? "step" : this.#steps.by;
  }
  /** True if the settings or the program say what ends a step. */
  get explicit() {
    return this.by !== "auto";
  }
  /** Number of submits since the last wait for the device. */
  get pending() {
    return this.#submitsSinceWait;
  }
  /**
   * Returns whether a submit ends a stretch.
   *
   * @param submits number of submits so far, with this one
   */
  submit(submits) {
    this.#submitsSinceWait++;
    if (this.#called) return false;
    if (this.#steps.by === "submit") return submits % this.#steps.count === 0;
    return this.#steps.by === "auto" && this.#submitsSinceWait > SUBMITS_WITHOUT_WAIT;
  }
  /** Returns whether a wait ends a stretch. */
  wait() {
    const ends = this.#submitsSinceWait > 0 && (this.by === "auto" || this.by === "wait");
    this.#submitsSinceWait = 0;
    return ends;
  }
  /** Returns whether a mark ends a stretch. */
  mark() {
    return this.by === "auto" || this.by === "mark";
  }
  /** Notes a call to the profiler, which from then on alone ends stretches. */
  call() {
    this.#called = true;
  }
};

// runtime/attach/device_recorder.ts
var DeviceRecorder = class {
  id;
  memory = new MemoryTracker();
  /** The realm that the program runs in. */
  realm;
  /** The host's clock. */
  now;
  #settings;
  #queue;
  #reader;
  #kernels;
  #events;
  #stepTiming;
  #ends;
  #stretch = new StretchCounter();
  /** Buffers that timed dispatches of the stretch bind. */
  #bound = /* @__PURE__ */ new Set();
  #renders = /* @__PURE__ */ new Map();
  #timing;
  #cuts = 0;
  #cutTime;
  #order = 0;
  #encodeStart = 0;
  #encodeEnd = 0;
  #busyUntil = 0;
  /** Time between records of the state. */
  #stateInterval = new GrowingInterval();
  constructor(gpu, queue, facts, { settings: settings2, realm: realm2 }) {
    this.id = facts.device;
    this.#settings = settings2;
    this.realm = realm2;
    this.now = realm2.now;
    this.#queue = queue;
    this.#kernels = new KernelTable(facts.device, realm2.sink);
    this.#events = new EventLog(facts.device, realm2);
    this.#ends = new StretchEnds(settings2.steps);
    this.#stepTiming = new StepTiming(settings2.budget);
    this.#cutTime = this.now();
    realm2.sink.write({ kind: "device", time: this.#cutTime, ...facts });
    this.#reader = createPassReader(gpu, queue, facts, settings2.timing, realm2);
    this.#timing = this.#reader.times;
  }
  /** Prepares reading timestamps. Reading waits until this is done. */
  async prime() {
    await this.#reader.prime();
  }
  /** Event that ends steps. */
  get stepsBy() {
    return this.#ends.by;
  }
  /** The program's line that calls WebGPU; null unless the settings ask for lines. */
  line() {
    return this.#settings.stack ? callSite() : null;
  }
  count(name, by = 1) {
    this.#stretch.add(name, by);
  }
  /** Records an interval of the host's main thread. */
  interval(kind, start, end) {
    if (end > this.#busyUntil && kind !== "compiling") this.#busyUntil = end;
    if (this.#timing) this.#stretch.interval(kind, start, end);
  }
  /** Records a call that compiles. */
  compiling(start, end) {
    this.#stretch.add("compileMs", end - start);
    this.interval("compile", start, end);
  }
  upload(bytes, start, end) {
    this.count("uploads");
    this.count("uploadBytes", bytes);
    this.#stretch.add("uploadMs", end - start);
    this.interval("upload", start, end);
  }
  /** Notes that the program encodes commands. */
  encoding(start, end) {
    if (this.#encodeStart === 0) this.#encodeStart = start;
    this.#encodeEnd = end;
    if (end > this.#busyUntil) this.#busyUntil = end;
  }
  /** Returns the kernel of a pipeline, recording it at its first. */
  kernel(facts) {
    return this.#kernels.kernel(facts, () => this.line());
  }
  module(label, hash, entryPoints) {
    this.count("modules");
    this.#events.module(label, hash, entryPoints);
  }
  pipeline(type, kernel, made) {
    this.#events.pipeline(type, kernel, made, this.#cuts);
  }
  get cuts() {
    return this.#cuts;
  }
  /** Returns queries for a pass; null if it is not to be timed, or cannot be. */
  slot(between) {
    return this.#timing ? this.#reader.slot(between) : null;
  }
  /** Returns the index of a site, recording it at its first dispatch. */
  site(facts) {
    return this.#kernels.site(facts);
  }
  /** Records a submit. */
  submitted(commands, start, end) {
    const submit = this.#stretch.total("submits");
    this.count("submits");
    this.#stretch.add("submitMs", end - start);
    if (this.#encodeStart > 0) this.interval("encode", this.#encodeStart, Math.min(this.#encodeEnd, start));
    this.#encodeStart = 0;
    this.interval("submit", start, end);
    for (const { slots, kernels, computePasses, renderPasses, copies, copyBytes, bound } of commands) {
      this.count("dispatches", kernels.length);
      this.count("computePasses", computePasses);
      this.count("renderPasses", renderPasses.length);
      this.count("copies", copies);
      this.count("copyBytes", copyBytes);
      for (const buffer of bound) this.#bound.add(buffer);
      for (const kernel of kernels) {
        this.#stretch.dispatched(kernel?.symbol ?? 0);
        if (kernel !== null) this.#kernels.called(kernel);
      }
      for (const pass of renderPasses) {
        this.#stretch.dispatched(RENDER_PASS);
        this.#rendered(pass);
      }
      for (const slot of slots) {
        slot.submit = submit;
        slot.submitted = start;
        slot.order = this.#order++;
        if (this.#kernels.dispatches(slot.site)) this.count("timedDispatches");
      }
    }
    if (this.#ends.submit(submit + 1)) this.#cut("submit", end);
  }
  #rendered({ label, selfTimed }) {
    const renders = this.#renders.get(label) ?? { count: 0, selfTimed: 0 };
    renders.count++;
    if (selfTimed) renders.selfTimed++;
    this.#renders.set(label, renders);
  }
  /** Records a call that has waited for the device, and reads timestamps. */
  waited(start, end) {
    this.#waited(start, end);
    this.#reader.read(end, false);
    this.#save(end);
  }
  /** Records a wait that has ended with its promise, and reads timestamps before the program goes on. */
  async awaited(start, end) {
    this.#waited(start, end);
    await this.#reader.readLater(end, false);
    this.#save(end);
  }
  #waited(start, end) {
    this.count("waits");
    this.#stretch.add("waitMs", end - start);
    this.interval("wait", start, end);
    if (this.#ends.wait()) this.#cut("wait", end);
  }
  /** Records the time between the end of a wait and its promise, in which the runtime slept. */
  slept(from, until) {
    const start = Math.max(from, this.#busyUntil);
    if (until <= start) return;
    this.#stretch.add("sleepMs", until - start);
    this.interval("sleep", start, until);
  }
  /** Ends a step by a mark of the program. */
  mark(name) {
    if (this.#ends.mark()) this.#cut("mark", this.now(), name);
  }
  /** Ends a step by a call to the profiler, which from then on alone ends steps. */
  step() {
    this.#ends.call();
    this.#cut("step", this.now());
  }
  error(type, message, scoped) {
    this.#events.error(type, message, scoped);
  }
  lost(reason, message) {
    this.#reader.stop();
    this.#events.lost(reason, message);
  }
  /** Reads what is left before the program destroys the device. */
  destroyed() {
    this.finish();
    this.#reader.stop();
  }
  /** Reads the timestamps that are left, where waits do not block. */
  async readRest() {
    const start = this.now();
    await this.#reader.readLater(start, true);
    this.#save(start);
  }
  /** Records everything up to now. Blocks until the device is done, where waits block. */
  finish() {
    if (this.realm.waitsBlock) {
      const start = this.now();
      this.#reader.read(start, true);
      this.#save(start);
    }
    if (this.#stretch.changed) this.#cut("end", this.now());
    this.writeState();
  }
  /** Times nothing more. */
  stop() {
    this.#reader.stop();
    this.#timing = false;
  }
  writeState() {
    const time = this.now();
    this.#stateInterval.begin(time);
    this.realm.sink.write({
      kind: "state",
      device: this.id,
      time,
      memory: this.memory.bytes,
      peak: this.memory.peak,
      ...this.memory.state(),
      calls: [...this.#kernels.calls],
      renders: [...this.#renders].map(([pass, counts]) => ({ pass, ...counts })),
      unslotted: this.#reader.unslotted,
      ...this.#reader.clock
    });
  }
  /** Writes what is recorded so far, unless it was written a moment ago. The time since `done` is the recorder's own. */
  #save(done) {
    if (this.#stateInterval.due(done)) this.writeState();
    this.realm.sink.flush(false);
    const end = this.now();
    this.#stretch.add("ownMs", end - done);
    this.interval("own", done, end);
  }
  /** Ends a stretch, and decides whether the next one is timed. */
  #cut(by, end, name = null) {
    const [dispatches, timedDispatches] = [
      this.#stretch.sinceCut("dispatches"),
      this.#stretch.sinceCut("timedDispatches")
    ];
    const own = this.#stretch.sinceCut("ownMs");
    const stretch = this.#stretch.cut();
    this.realm.sink.write({
      ...{ kind: "cut", device: this.id, by, name, start: this.#cutTime, end, pending: this.#ends.pending, ...stretch },
      memory: this.memory.bytes,
      peak: this.memory.peak,
      keptPeak: this.memory.keptPeak,
      ...timedDispatches === 0 ? {} : { bound: [...this.#bound] }
    });
    this.#bound.clear();
    const finds = this.#reader.times || this.realm.onStep !== void 0;
    if (finds && !this.#reader.gone && by !== "end") {
      const { explicit, pending } = this.#ends;
      const wall = end - this.#cutTime - own;
      const facts = { by, symbol: stretch.symbol, wall, dispatches, timedDispatches, explicit, pending: pending > 0 };
      const next = this.#stepTiming.next(facts);
      if (this.#reader.times) this.#timing = next ?? this.#timing;
    }
    this.#cuts++;
    this.#cutTime = end;
    if (by !== "end") this.#save(this.now());
    if (this.realm.onStep === void 0 || by === "end" || !this.#stepTiming.ended) return;
    this.realm.onStep(this.#queue, this.#ends.pending);
    this.#cutTime = this.now();
  }
};

// runtime/attach/registry.ts
var MAX_MARKS = 1e5;
var Registry = class {
  #devices = /* @__PURE__ */ new Set();
  #byObject = createTag();
  #marks = 0;
  /** Begins to record a device. */
  add(gpu, queue, facts, recording) {
    const device = new DeviceRecorder(gpu, queue, { ...facts, device: this.#devices.size }, recording);
    this.#devices.add(device);
    this.#byObject.set(gpu, device);
    this.#byObject.set(queue, device);
    return device;
  }
  /** Stops recording a device. */
  remove(gpu, device) {
    device.stop();
    this.#devices.delete(device);
    this.#byObject.set(gpu, null);
    this.#byObject.set(gpu.queue, null);
  }
  /** Returns the recorder of a device or its queue. */
  of(object) {
    return this.#byObject.get(object) ?? void 0;
  }
  /** Number of devices that are recorded. */
  get size() {
    return this.#devices.size;
  }
  /** Returns the recorder of a buffer that was created before recording began, if only one device is recorded. */
  get only() {
    return this.size === 1 ? this.#devices.values().next().value : void 0;
  }
  /** Records a performance mark or measure, which ends a step if its name says so. */
  mark(mark) {
    if (this.#marks++ < MAX_MARKS) {
      for (const sink2 of new Set([...this.#devices].map(({ realm: realm2 }) => realm2.sink))) {
        sink2.write({ kind: "mark", ...mark });
      }
    }
    if (isStepName(mark.name)) {
      for (const device of this.#devices) device.mark(mark.name);
    }
  }
  /** Records everything up to now. Blocks until the devices are done, where waits block. */
  finish() {
    for (const device of this.#devices) device.finish();
  }
  /** Reads the timestamps that are left, where waits do not block. */
  async readRest() {
    await Promise.all([...this.#devices].map((device) => device.readRest()));
  }
  /** Records everything up to now, and the end. */
  end({ sink: sink2, now: now2 }) {
    this.finish();
    sink2.write({ kind: "end", time: now2() });
    sink2.flush(true);
  }
};

// runtime/attach/node/preload.ts
var { folder, realm: main, settings } = readQuery(new URL(import.meta.url));
var file = openSync(`${folder}/${crypto.randomUUID()}.jsonl`, "a");
var sink = new LineSink((bytes) => writeSync(file, bytes), now);
var realm = { sink, now, waitsBlock: false };
beginRecords(realm, isMainThread ? main : `thread ${threadId}`);
sink.flush(true);
var registry = new Registry();
var load = process.dlopen.bind(process);
process.dlopen = (module, ...rest) => {
  load(module, ...rest);
  const { create, globals } = module.exports ?? {};
  if (typeof create !== "function" || globals?.["GPUDevice"] === void 0 || "GPUDevice" in webgpu) return;
  Object.assign(webgpu, globals);
  install(registry, { settings, realm });
};
process.once("beforeExit", () => void registry.readRest());
process.once("exit", () => registry.end(realm));

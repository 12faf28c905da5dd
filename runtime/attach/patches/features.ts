import type { Patches } from "../patch.ts";
import { createTag } from "../tag.ts";

const FEATURE = "timestamp-query";

const hidden = createTag<true>();

/** Hides the timestamp feature in a device's set of features, since the program did not ask for it. */
export function hideTimestamps(device: GPUDevice): void {
  // In Dawn's bindings the methods of the set cannot be replaced, but the device's property can
  if (Object.hasOwn(device, "features")) {
    Object.defineProperty(device, "features", { value: withoutTimestamps(device.features), configurable: true });
  }
  hidden.set(device.features, true);
}

/** Returns a set of the same kind without the feature. */
function withoutTimestamps(features: GPUSupportedFeatures): object {
  const names = new Set(features.keys());
  names.delete(FEATURE);
  const copy = Object.create(Object.getPrototypeOf(features) as object) as object;
  for (const name of ["has", "keys", "values", "entries", "forEach", Symbol.iterator] as const) {
    if (name in features) Object.defineProperty(copy, name, { value: names[name].bind(names) });
  }
  return Object.defineProperty(copy, "size", { value: names.size });
}

/** True if the device has timestamps that the program does not know of. */
export function hidesTimestamps(device: GPUDevice): boolean {
  return hidden.get(device.features) === true;
}

/** Makes sets of features answer as if a hidden feature were not in them. */
export function patchFeatures(patches: Patches): void {
  const { prototype } = GPUSupportedFeatures;
  if (Object.getOwnPropertyDescriptor(prototype, "has")?.configurable === false) return;
  const visible = (features: object): Set<string> => {
    const names = new Set(Reflect.apply(keys, features, []) as Iterable<string>);
    names.delete(FEATURE);
    return names;
  };
  const keys = prototype.keys;
  for (const name of ["entries", "keys", "values", "forEach", "has"] as const) {
    patches.method(prototype, name, (features, args, call) => {
      if (hidden.get(features) === undefined) return call(features, args);
      const names = visible(features);
      return Reflect.apply(names[name], names, args) as unknown;
    });
  }
  patches.method(
    prototype,
    Symbol.iterator,
    (features, args, call) => hidden.get(features) === undefined ? call(features, args) : visible(features).values(),
  );
  patches.getter(prototype, "size", (features, size) => hidden.get(features) === undefined ? size : Number(size) - 1);
}

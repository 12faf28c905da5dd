/** A replaced method: gets the receiver, the arguments and the function that it replaces. */
export type Replacement = (self: object, args: unknown[], call: NativeCall) => unknown;

/** Calls the replaced function. */
export type NativeCall = (self: object, args: unknown[]) => unknown;

/** Folder of this module, as in stack traces. */
const OWN = import.meta.url.replace(/[^/]*$/, "");

/** Removes the recorder's frames from an error that a replaced function has thrown. */
function hideFrames(error: unknown, method: unknown): void {
  if (!(error instanceof Error)) return;
  const [, innermost = ""] = (error.stack ?? "").slice(String(error).length).split("\n");
  if (innermost.includes(OWN) && typeof method === "function") Error.captureStackTrace(error, method);
}

/** Patches of prototypes and objects. */
export class Patches {
  readonly #undo: (() => void)[] = [];

  /** Replaces a method of a prototype; name and length stay. Does nothing if the prototype has no such method. */
  method(prototype: object, name: string | symbol, replacement: Replacement): void {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
    const original: unknown = descriptor?.value;
    if (descriptor === undefined || typeof original !== "function") return;
    const call: NativeCall = (self, args) => Reflect.apply(original, self, args) as unknown;
    // A method, which like the original is no constructor
    const { value } = {
      value(this: object, ...args: unknown[]) {
        try {
          return replacement(this, args, call);
        } catch (error) {
          hideFrames(error, value);
          throw error;
        }
      },
    };
    Object.defineProperty(value, "name", { value: original.name, configurable: true });
    Object.defineProperty(value, "length", { value: original.length, configurable: true });
    this.#define(prototype, name, descriptor, { ...descriptor, value });
  }

  /** Replaces a getter of a prototype. */
  getter(prototype: object, name: string | symbol, replacement: (self: object, value: unknown) => unknown): void {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
    const original = descriptor?.get;
    if (descriptor === undefined || original === undefined) return;
    const get = function (this: object) {
      return replacement(this, Reflect.apply(original, this, []) as unknown);
    };
    Object.defineProperty(get, "name", { value: original.name, configurable: true });
    this.#define(prototype, name, descriptor, { ...descriptor, get });
  }

  /** Replaces a property of an object. */
  value(target: object, name: string | symbol, value: unknown): void {
    const descriptor = Object.getOwnPropertyDescriptor(target, name);
    if (descriptor !== undefined) this.#define(target, name, descriptor, { ...descriptor, value });
  }

  /** Undoes all patches, the latest first. */
  undo(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }

  #define(target: object, name: string | symbol, before: PropertyDescriptor, after: PropertyDescriptor): void {
    Object.defineProperty(target, name, after);
    this.#undo.push(() => Object.defineProperty(target, name, before));
  }
}

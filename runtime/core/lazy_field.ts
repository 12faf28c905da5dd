/**
 * Adds a field to an object and returns the object. `make` creates its value when it is first read; a copy of the object
 * reads it.
 */
export function lazyField<T extends object, K extends string, V>(
  object: T,
  name: K,
  make: () => V,
): T & { readonly [field in K]: V } {
  return Object.defineProperty(object, name, {
    configurable: true,
    enumerable: true,
    get() {
      const value = make();
      Object.defineProperty(object, name, { configurable: true, enumerable: true, value });
      return value;
    },
  }) as T & { readonly [field in K]: V };
}

/**
 * Returns an array of `length` elements. `make` creates each when it is first read, and later reads return the same
 * object.
 */
export function lazyList<T>(length: number, make: (index: number) => T): readonly T[] {
  const list = new Array<T>(length);
  for (let index = 0; index < length; index++) {
    Object.defineProperty(list, index, {
      configurable: true,
      enumerable: true,
      get() {
        const value = make(index);
        Object.defineProperty(list, index, { configurable: true, enumerable: true, writable: true, value });
        return value;
      },
    });
  }
  return list;
}

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

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

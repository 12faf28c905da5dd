/** Like `instanceof`, but false for a revoked proxy, whose prototype cannot be read. For values that users pass or throw. */
export function isInstance<T>(value: unknown, type: abstract new (...args: never) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

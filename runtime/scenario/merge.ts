/** A plain object: not a list, typed array or class instance. */
export type Plain = Readonly<Record<string, unknown>>;

/** Returns true for plain objects. */
export function isPlain(value: unknown): value is Plain {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Merges `overlay` over `base`. Records merge key by key; lists and all other values are replaced. A record with another
 * `kind` replaces the whole record, since options of SGD mean nothing to Adam. `undefined` changes nothing.
 */
export function merge(base: unknown, overlay: unknown): unknown {
  if (overlay === undefined) return base;
  if (!isPlain(base) || !isPlain(overlay)) return overlay;
  if (overlay["kind"] !== undefined && overlay["kind"] !== base["kind"]) return overlay;
  const merged = Object.entries(overlay).map(([key, value]) =>
    [key, merge(Object.hasOwn(base, key) ? base[key] : undefined, value)] as const
  );
  return { ...base, ...Object.fromEntries(merged) };
}

/** Merges records in order; later ones override earlier ones. */
export function mergeAll(layers: readonly Plain[]): Plain {
  return layers.reduce<Plain>((below, above) => merge(below, above) as Plain, {});
}

/** Wraps a value in nested records: `{ a: { b: value } }` for the keys `a`, `b`. */
export function nest(keys: readonly string[], value: unknown): Plain {
  return keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Plain;
}

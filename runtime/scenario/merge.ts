/** A record of plain data: no list, no typed array, no instance of a class. */
export type Plain = Readonly<Record<string, unknown>>;

export function isPlain(value: unknown): value is Plain {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * `overlay` over `base`: records merge key by key, everything else replaces, lists too. A record with another `kind`
 * replaces wholly: what was said about an SGD does not hold for an Adam. `undefined` changes nothing.
 */
export function merge(base: unknown, overlay: unknown): unknown {
  if (overlay === undefined) return base;
  if (!isPlain(base) || !isPlain(overlay)) return overlay;
  if (overlay.kind !== undefined && overlay.kind !== base.kind) return overlay;
  const merged = Object.entries(overlay).map(([key, value]) =>
    [key, merge(Object.hasOwn(base, key) ? base[key] : undefined, value)] as const
  );
  return { ...base, ...Object.fromEntries(merged) };
}

/** Records over each other, the last on top. */
export function mergeAll(layers: readonly Plain[]): Plain {
  return layers.reduce<Plain>((below, above) => merge(below, above) as Plain, {});
}

/** `{ a: { b: value } }` for the keys `a`, `b`. */
export function nest(keys: readonly string[], value: unknown): Plain {
  return keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Plain;
}

/**
 * Random changes to values and bytes.
 *
 * @module
 */
import type { RandomStream } from "../../runtime/core/random.ts";

/** Draws one of the items. */
export function pick<T>(random: RandomStream, items: readonly T[]): T {
  return items[random.below(items.length)]!;
}

/** Draws true with a probability. */
export function chance(random: RandomStream, probability: number): boolean {
  return random.uniform() < probability;
}

/** Numbers at the edges of what code counts with. */
export const NUMBERS: readonly number[] = [
  ...[0, -0, 1, -1, 2, 0.5, 1e-9, 255, 256, 65535, 65536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53],
  ...[8.64e15, 8.64e15 + 1, 9e15, 1e300, -1e300, NaN, Infinity, -Infinity, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE],
];

/** Texts that break careless parsing or printing. */
export const TEXTS: readonly string[] = [
  ...[
    "",
    " ",
    "0",
    "-1",
    "1e9",
    "NaN",
    "null",
    "true",
    "__proto__",
    "constructor",
    "toString",
    "\0",
    "\u001b[2J",
    "\n",
  ],
  ...[
    "\ud800",
    "\u202e",
    "é",
    "💥",
    "a,b",
    "a=b",
    "=",
    ",",
    "..",
    "../..",
    "/dev/null",
    "%s%n",
    "${x}",
    "x".repeat(5000),
  ],
];

/** Draws a JSON value. */
export function drawValue(random: RandomStream, depth = 2): unknown {
  const kind = random.below(depth > 0 ? 6 : 4);
  if (kind === 0) return pick(random, NUMBERS);
  if (kind === 1) return pick(random, TEXTS);
  if (kind === 2) return pick(random, [null, true, false]);
  if (kind === 3) return random.below(1000);
  const inner = Array.from({ length: random.below(4) }, () => drawValue(random, depth - 1));
  return kind === 4 ? inner : Object.fromEntries(inner.map((value, i) => [`${pick(random, TEXTS)}${i}`, value]));
}

/** Returns a JSON value with one place changed: replaced, removed, added to, or swapped with another. */
export function changed(random: RandomStream, value: unknown, draw = drawValue): unknown {
  if (!isPlain(value) || chance(random, 0.03)) return draw(random);
  if (Array.isArray(value)) {
    const items = [...value];
    const at = random.below(items.length + 1);
    if (at === items.length) return [...items, draw(random)];
    if (chance(random, 0.2)) items.splice(at, 1);
    else items[at] = changed(random, items[at], draw);
    return items;
  }
  const entries = Object.entries(value);
  const at = random.below(entries.length + 1);
  if (at === entries.length) return { ...value, [pick(random, TEXTS)]: draw(random) };
  const [key, inner] = entries[at]!;
  if (chance(random, 0.15)) return Object.fromEntries(entries.toSpliced(at, 1));
  return { ...value, [key]: changed(random, inner, draw) };
}

/** Returns true for an object whose properties can be read without running code. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  try {
    void (value as { length?: unknown }).length; // the trap of a proxy
    const prototype: unknown = Object.getPrototypeOf(value);
    const fields = Object.values(Object.getOwnPropertyDescriptors(value));
    return (prototype === Object.prototype || prototype === Array.prototype) &&
      fields.every(({ get }) => get === undefined);
  } catch {
    return false; // a proxy
  }
}

/** Returns bytes with random damage: changed bits, a cut, an insertion, a run of one byte, or a repeated part. */
export function damaged(random: RandomStream, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = Uint8Array.from(bytes);
  if (bytes.length === 0) return Uint8Array.of(random.below(256));
  const at = random.below(bytes.length);
  const length = Math.min(1 + random.below(pick(random, [4, 64, 4096])), bytes.length - at);
  switch (random.below(6)) {
    case 0:
      for (let i = random.below(8); i >= 0; i--) copy[random.below(copy.length)]! ^= 1 << random.below(8);
      return copy;
    case 1:
      return copy.slice(0, at);
    case 2:
      return copy.fill(pick(random, [0, 0x5a, 0x7f, 0x80, 0xff]), at, at + length);
    case 3:
      return Uint8Array.from([...copy.slice(0, at), ...copy.slice(at, at + length), ...copy.slice(at)]);
    case 4:
      return Uint8Array.from([...copy.slice(0, at), ...copy.slice(at + length)]);
    default:
      // Headers are at the beginning and decide the most
      for (let i = random.below(4); i >= 0; i--) copy[random.below(Math.min(64, copy.length))] = random.below(256);
      return copy;
  }
}

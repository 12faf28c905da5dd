/** Returns a small generator for test data (T. Ettinger's mulberry32), independent of Tacho's own. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Returns `n` draws from the standard normal distribution, rounded to f32. */
export function normals(n: number, seed: number): Float32Array<ArrayBuffer> {
  const random = generator(seed);
  return Float32Array.from(
    { length: n },
    () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
}

/** Returns `n` class indices. */
export function labels(n: number, classes: number, seed: number): Int32Array<ArrayBuffer> {
  const random = generator(seed);
  return Int32Array.from({ length: n }, () => Math.floor(random() * classes));
}

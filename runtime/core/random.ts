/**
 * Keyed random numbers. A draw is a pure function of its key, so it does not depend on the order of draws, on the number
 * of workers, or on whether the host or the device draws it (`ops/kernels/random.ts` has the same function in WGSL).
 *
 * The generator is PCG4D of M. Jarzynski and M. Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020.
 *
 * @module
 */
/**
 * Keyed random numbers. A draw is a pure function of its key, so it does not depend on the order of draws, on the number
 * of workers, or on whether the host or the device draws it (`ops/kernels/random.ts` has the same function in WGSL).
 *
 * The generator is PCG4D of M. Jarzynski and M. Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020.
 *
 * @module
 */
/** Mixes four 32-bit words into four random 32-bit words. */
export function pcg4d(x: number, y: number, z: number, w: number): [number, number, number, number] {
  const out = new Uint32Array(4);
  drawInto(out, x, y, z, w);
  return [out[0]!, out[1]!, out[2]!, out[3]!];
}

/** Writes the words of {@linkcode pcg4d} to an array of four, which costs no allocation. */
export function drawInto(out: Uint32Array, x: number, y: number, z: number, w: number): void {
  x = (Math.imul(x, 1664525) + 1013904223) | 0;
  y = (Math.imul(y, 1664525) + 1013904223) | 0;
  z = (Math.imul(z, 1664525) + 1013904223) | 0;
  w = (Math.imul(w, 1664525) + 1013904223) | 0;
  x = (x + Math.imul(y, w)) | 0;
  y = (y + Math.imul(z, x)) | 0;
  z = (z + Math.imul(x, y)) | 0;
  w = (w + Math.imul(y, z)) | 0;
  x ^= x >>> 16;
  y ^= y >>> 16;
  z ^= z >>> 16;
  w ^= w >>> 16;
  x = (x + Math.imul(y, w)) | 0;
  y = (y + Math.imul(z, x)) | 0;
  z = (z + Math.imul(x, y)) | 0;
  w = (w + Math.imul(y, z)) | 0;
  out[0] = x;
  out[1] = y;
  out[2] = z;
  out[3] = w;
}

/** Hashes a text to a 32-bit key (FNV-1a over UTF-16 code units). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** A sequence of draws from a key of up to three words. Streams with the same key produce the same draws. */
export class RandomStream {
  #counter = 0;
  readonly #block = new Uint32Array(4);
  readonly #a: number;
  readonly #b: number;
  readonly #c: number;

  constructor(a: number, b = 0, c = 0) {
    this.#a = a;
    this.#b = b;
    this.#c = c;
  }

  /** Draws an integer in [0, 2^32). */
  uint32(): number {
    const lane = this.#counter & 3;
    if (lane === 0) drawInto(this.#block, this.#a, this.#b, this.#c, this.#counter >>> 2);
    this.#counter++;
    return this.#block[lane]!;
  }

  /** Draws a multiple of 2^-24 in [0, 1). */
  uniform(): number {
    return (this.uint32() >>> 8) / 16777216;
  }

  /** Draws an integer in [0, n), for 0 < n <= 2^32. The bias of the multiply-shift method is at most n / 2^32. */
  below(n: number): number {
    return Math.floor((this.uint32() / 4294967296) * n);
  }

  /** Draws from the standard normal distribution (Box and Muller, 1958). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log((this.uint32() + 1) / 4294967297));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Draws a permutation of 0 .. n - 1 (Fisher and Yates, 1938; Durstenfeld, 1964). */
  permutation(n: number): Uint32Array {
    const order = new Uint32Array(n);
    for (let i = 0; i < n; i++) order[i] = i;
    for (let i = n - 1; i > 0; i--) {
      const j = this.below(i + 1);
      const t = order[i]!;
      order[i] = order[j]!;
      order[j] = t;
    }
    return order;
  }
}

/**
 * Returns the first word of a random stream's key, made of the user's seed and the purpose of the draws. Streams with
 * different purposes are independent even if their other words agree.
 */
export function streamKey(seed: number, purpose: string): number {
  return pcg4d(seed >>> 0, Math.floor(seed / 4294967296) >>> 0, hashText(purpose), 0)[0];
}

import { type Tape, Value } from "./value.ts";

/** Values on which a layer's draws depend. */
export interface DropoutKey {
  readonly seed: number;
  readonly step: number;
  /** Path of the layer. */
  readonly path: string;
}

/**
 * Drops elements with probability `p` and scales the others by `1 / (1 - p)`, with the draws that Tacho documents.
 * Element e, numbered in memory order (channels of images last), takes lane e mod 4 of PCG4D(seed, step, hash of the path,
 * floor(e / 4)). It is kept if the lane's upper 24 bits, as a fraction, are at least p.
 */
export function dropout(tape: Tape, x: Value, p: number, key: DropoutKey): Value {
  const factors = new Float64Array(x.data.length);
  const images = x.shape.length === 4;
  const n = x.shape[0]!;
  const c = images ? x.shape[1]! : 1;
  const size = x.data.length / n / c;
  const path = fnv1a(key.path);
  let block: readonly number[] = [];
  let e = 0;
  for (let image = 0; image < n; image++) {
    for (let pixel = 0; pixel < size; pixel++) {
      for (let channel = 0; channel < c; channel++) {
        if (e % 4 === 0) block = pcg4d([key.seed, key.step, path, e / 4]);
        const fraction = Math.floor(block[e % 4]! / 256) / 2 ** 24;
        factors[(image * c + channel) * size + pixel] = fraction >= p ? 1 / (1 - p) : 0;
        e++;
      }
    }
  }
  const y = new Value(x.shape, x.data.map((value, i) => value * factors[i]!));
  tape.record(() => {
    for (let i = 0; i < y.grad.length; i++) x.grad[i]! += y.grad[i]! * factors[i]!;
  });
  return y;
}

const WORD = 2n ** 32n;

/** Computes the 32-bit FNV-1a hash over UTF-16 code units. */
export function fnv1a(text: string): number {
  let hash = 2166136261n;
  for (const unit of Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))) {
    hash = (hash ^ BigInt(unit)) * 16777619n % WORD;
  }
  return Number(hash);
}

/** Computes PCG4D (M. Jarzynski and M. Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020) in integers. */
export function pcg4d(key: readonly [number, number, number, number]): number[] {
  const v = key.map((word) => (BigInt(word) * 1664525n + 1013904223n) % WORD) as [bigint, bigint, bigint, bigint];
  const mix = () => {
    v[0] = (v[0] + v[1] * v[3]) % WORD;
    v[1] = (v[1] + v[2] * v[0]) % WORD;
    v[2] = (v[2] + v[0] * v[1]) % WORD;
    v[3] = (v[3] + v[1] * v[2]) % WORD;
  };
  mix();
  v.forEach((word, i) => v[i] = word ^ (word >> 16n));
  mix();
  return v.map(Number);
}

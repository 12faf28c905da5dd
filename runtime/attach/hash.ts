/** Initial value of {@linkcode mix}. */
export const HASH_SEED = 2166136261;

/** Adds a 32-bit number to a hash (FNV-1a over 32-bit words). */
export function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, 16777619) >>> 0;
}

/** Hashes a text to 32 bits (FNV-1a over UTF-16 units). */
export function hashText(text: string): number {
  let hash = HASH_SEED;
  for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i));
  return hash;
}

/** Formats a hash as six hexadecimal digits. */
export function shortHash(hash: number): string {
  return hash.toString(16).padStart(8, "0").slice(0, 6);
}

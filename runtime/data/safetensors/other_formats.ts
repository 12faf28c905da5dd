/** Kinds of files that people take for weights, by their first bytes, with what to do about each. */
const OTHER_FORMATS: readonly (readonly [start: string, what: string])[] = [
  ["PK\x03\x04", "it is a zip archive, such as a checkpoint of torch.save; write it with safetensors.torch.save_file"],
  ["\x80\x02", "it is a pickle, such as an old checkpoint of torch.save; write it with safetensors.torch.save_file"],
  ["version https://git-lfs", "it is a pointer of Git LFS; fetch the file with git lfs pull"],
  ["<!DOCTYPE", "it is a web page; download the file itself"],
  ["<html", "it is a web page; download the file itself"],
  ["\x89HDF\r\n", "it is an HDF5 file; convert the weights to safetensors"],
  ["GGUF", "it is a GGUF file; convert the weights to safetensors"],
  ["\x93NUMPY", "it is a .npy file; convert the weights to safetensors"],
];

/** Number of bytes that {@linkcode otherFormat} looks at. */
export const FORMAT_BYTES = 32;

/** Returns what a file is that begins with these bytes and is no safetensors file; null if unknown. */
export function otherFormat(bytes: Uint8Array): string | null {
  const start = String.fromCharCode(...bytes).toLowerCase();
  return OTHER_FORMATS.find(([known]) => start.startsWith(known.toLowerCase()))?.[1] ?? null;
}

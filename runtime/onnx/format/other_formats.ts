/** Kinds of files that people take for ONNX files, by their first bytes, with what to do about each. */
const OTHER_FORMATS: readonly (readonly [start: string, what: string])[] = [
  ["\x1f\x8b", "it is compressed with gzip; unpack it"],
  ["PK\x03\x04", "it is a zip archive, such as a checkpoint of torch.save; export the model with torch.onnx.export"],
  ["\x80\x02", "it is a pickle, such as an old checkpoint of torch.save; export the model with torch.onnx.export"],
  ["version https://git-lfs", "it is a pointer of Git LFS; fetch the file with git lfs pull"],
  ["<!DOCTYPE", "it is a web page; download the file itself"],
  ["<html", "it is a web page; download the file itself"],
  ["\x89HDF\r\n", "it is an HDF5 file; convert the model with tf2onnx"],
  ["GGUF", "it is a GGUF file; export the model as ONNX"],
];

/** Returns what a file is that begins with these bytes and is no ONNX file; null if unknown. */
export function otherFormat(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return "it is empty; is the download complete?";
  const start = String.fromCharCode(...bytes.subarray(0, 32)).toLowerCase();
  const known = OTHER_FORMATS.find(([first]) => start.startsWith(first.toLowerCase()));
  if (known !== undefined) return known[1];
  if (start.slice(4, 8) === "ortm") return "it is in the format of ONNX Runtime; give the file from which it was made";
  if (start.slice(8, 10) === '{"') return "it is a safetensors file, which has weights only; export the model as ONNX";
  return bytes.subarray(0, 32).every(isText)
    ? "it is a text file; expected a model as an exporter of ONNX writes it"
    : null;
}

/** Returns true for a byte of ASCII text. */
function isText(byte: number): boolean {
  return byte >= 0x20 ? byte < 0x7f : byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

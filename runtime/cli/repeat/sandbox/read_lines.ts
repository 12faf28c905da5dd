import { InputError } from "../../../core/errors.ts";

/**
 * Reads the lines of a stream, without their ends.
 *
 * @param longest maximum bytes of a line; no more is held in memory
 * @param tooLong message of the error for a longer line
 * @throws {InputError} if a line is longer
 */
export async function* readLines(
  stream: ReadableStream<Uint8Array>,
  longest: number,
  tooLong: string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let line = new Uint8Array(2 ** 16);
  let length = 0;
  const append = (part: Uint8Array) => {
    if (length + part.length > longest) throw new InputError(tooLong);
    if (length + part.length > line.length) {
      const larger = new Uint8Array(Math.max(length + part.length, 2 * line.length));
      larger.set(line.subarray(0, length));
      line = larger;
    }
    line.set(part, length);
    length += part.length;
  };
  const take = () => {
    const text = decoder.decode(line.subarray(0, length));
    length = 0;
    return text;
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      append(chunk.subarray(start, end));
      start = end + 1;
      yield take();
    }
    append(chunk.subarray(start));
  }
  if (length > 0) yield take();
}

/** The squares, as a stream. */
import { get, length } from "./squares.ts";

export { length };

export function* samples() {
  for (let i = 0; i < length; i++) yield get(i);
}

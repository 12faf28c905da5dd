/** Samples; the fourth fails. */
import { get as good } from "./squares.ts";

export { length } from "./squares.ts";

export function get(index: number) {
  if (index === 3) throw new RangeError("no such luck");
  return good(index);
}

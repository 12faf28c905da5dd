/** The squares, returned as promises. */
import { get as now } from "./squares.ts";

export { length } from "./squares.ts";

export async function get(index: number) {
  await new Promise((resolve) => setTimeout(resolve, index % 3));
  return now(index);
}

/** The squares, from a module with a top-level await. */
await new Promise((resolve) => setTimeout(resolve, 1));

export { get, length } from "./squares.ts";

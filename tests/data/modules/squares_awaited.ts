/** The squares, from a module that is not there at once. */
await new Promise((resolve) => setTimeout(resolve, 1));

export { get, length } from "./squares.ts";

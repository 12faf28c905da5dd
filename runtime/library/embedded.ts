let embedded = false;

/** Leaves uncaught errors of this process to the program, which uses Tacho as a library instead of calling `run()`. */
export function embed(): void {
  embedded = true;
}

/** Returns true once the program has used Tacho as a library. */
export function isEmbedded(): boolean {
  return embedded;
}

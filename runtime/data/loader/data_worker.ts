let serving = false;

/**
 * Marks this thread as a data worker, or as the main thread of a variant's process. Both import the user's modules for their
 * definitions only.
 */
export function becomeDataWorker(): void {
  serving = true;
}

/** Returns true where the user's modules are imported for their definitions only. */
export function isDataWorker(): boolean {
  return serving;
}

let serving = false;

/** Marks this thread as a data worker, which imports the user's modules for their functions only. */
export function becomeDataWorker(): void {
  serving = true;
}

/** Returns true in a data worker. */
export function isDataWorker(): boolean {
  return serving;
}

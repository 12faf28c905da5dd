/**
 * Waits for a promise, at most `ms` milliseconds. Work that is late goes on, and its outcome is ignored.
 *
 * @param late returns the error to throw if the promise takes longer
 */
export async function within<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

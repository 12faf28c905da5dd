/** Returns the time in milliseconds on a clock that all threads share. */
export function sharedNow(): number {
  return performance.timeOrigin + performance.now();
}

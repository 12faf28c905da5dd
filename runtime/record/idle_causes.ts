/**
 * Parts of a step's wall time; they add up to it. `kernels` is the time in which the device ran passes. Each idle stretch of
 * the device has one cause.
 *
 * - `gaps`: between passes of submitted work, and before its first
 * - `copies`: the same where the encoder has copies or untimed passes in between
 * - `encode`, `submit`, `upload`, `read`, `compile`: the host encodes, submits, uploads, reads mapped memory or compiles
 * - `wait`: the host waits for a device that has finished its kernels, for example until copies are done
 * - `sleep`: the runtime sleeps between the end of a wait and its promise
 * - `host`: the program does something else
 * - `unexplained`: work without timestamps may have run
 */
export const CAUSES = [
  "gaps",
  "copies",
  "encode",
  "submit",
  "upload",
  "read",
  "compile",
  "wait",
  "sleep",
  "host",
  "unexplained",
] as const;

/** Cause of an idle stretch of the device. */
export type Cause = (typeof CAUSES)[number];

/** Reads the samples of one split, on one thread. */
export interface Source {
  /** The pixels or values of the sample read last begin here in `data`. */
  readonly offset: number;
  readonly data: Uint8Array | Float32Array;
  /**
   * Reads a sample: its input to `data` at `offset`, its target to `target` at `at`.
   *
   * @throws {InputError} if what is read is no valid sample
   */
  read(index: number, target: Int32Array | Float32Array, at: number): void;
  close(): void;
}

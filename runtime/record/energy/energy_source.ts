/** Counter of energy. */
export interface EnergySource {
  /** Hardware that it covers, such as `package-0` or the name of a GPU. */
  readonly name: string;
  /** Returns the joules since the source was opened. */
  joules(): number;
  close?(): void;
}

/** Sources of energy, and why others are missing. */
export interface EnergySources {
  readonly sources: readonly EnergySource[];
  /** Reasons why a counter that the system has, or usually has, cannot be read. */
  readonly missing: readonly string[];
}

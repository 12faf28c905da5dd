/** Tools whose way to print a profile is known. */
export const DIALECTS = ["singa", "nnc", "paddle", "mindinsight"] as const;

export type Dialect = (typeof DIALECTS)[number];

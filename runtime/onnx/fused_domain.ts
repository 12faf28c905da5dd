/** Domain of the operators that patterns put in the place of several nodes. */
export const FUSED = "tacho";

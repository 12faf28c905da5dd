/** Domain of the operators that replace a recognised pattern of nodes. */
export const FUSED = "tacho";

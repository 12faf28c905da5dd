/** Fusions that `compile.fusion` can name, in the order in which they are tried. Each has a file in `compile/fusion/`. */
export const FUSIONS = ["bn-add-relu", "bn-relu", "bias-activation", "add-relu", "elementwise"] as const;

export type FusionName = (typeof FUSIONS)[number];

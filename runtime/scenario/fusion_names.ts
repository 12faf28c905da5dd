/** What `compile.fusion` can join, in the order in which they are tried; `compile/fusion/` has one file for each. */
export const FUSIONS = ["bn-add-relu", "bn-relu", "bias-activation", "add-relu", "elementwise"] as const;

export type FusionName = (typeof FUSIONS)[number];

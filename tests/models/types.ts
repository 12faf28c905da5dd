export type { Layer } from "../../mod.ts";
export type { LossSpec } from "../../runtime/nn/losses.ts";
export type { OptimizerSpec } from "../../runtime/nn/optimizers.ts";

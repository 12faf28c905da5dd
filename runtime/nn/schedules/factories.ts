/**
 * Schedules of the learning rate, by the names under which scripts write them: `schedules.cosine({ steps: 1000 })`.
 *
 * @module
 */
export type * from "./types.ts";
export { constant } from "./constant.ts";
export { cosine } from "./cosine.ts";
export { oneCycle } from "./one_cycle.ts";
export { step } from "./step.ts";

import { leafAttrs } from "../graph/leaf.ts";
import type { Tensor } from "../graph/op.ts";
import type { OptimizerSpec } from "../nn/optimizers.ts";
import { groupIndices, groupOptimizers, type ParameterGroup } from "../nn/parameter_groups.ts";

/** Parameters with the same settings of the optimizer, next to each other in the arena. */
export interface UpdateGroup {
  readonly optimizer: OptimizerSpec;
  /** Names of the trained parameters. */
  readonly trained: ReadonlySet<string>;
}

/** Orders parameters by group, for the arena; within a group they keep their order. */
export function byGroup(parameters: readonly Tensor[], groups: readonly ParameterGroup[]): readonly Tensor[] {
  if (groups.length === 0) return parameters;
  const indices = indicesOf(parameters, groups);
  return parameters.map((_, i) => i).toSorted((a, b) => indices[a]! - indices[b]!).map((i) => parameters[i]!);
}

/** Returns the groups that have trained parameters, in the order of the arena. */
export function updateGroups(
  parameters: readonly Tensor[],
  trained: ReadonlySet<string>,
  optimizer: OptimizerSpec | null,
  groups: readonly ParameterGroup[],
): UpdateGroup[] {
  if (optimizer === null) return [];
  if (groups.length === 0) return [{ optimizer, trained }];
  const indices = indicesOf(parameters, groups);
  return groupOptimizers(optimizer, groups).flatMap((settings, group) => {
    const names = parameters.map(({ node }) => node.id).filter((name, i) => indices[i] === group && trained.has(name));
    return names.length === 0 ? [] : [{ optimizer: settings, trained: new Set(names) }];
  });
}

function indicesOf(parameters: readonly Tensor[], groups: readonly ParameterGroup[]): number[] {
  const named = parameters.map((leaf) => ({ name: leaf.node.id, shape: leafAttrs(leaf)!.type.shape }));
  return groupIndices(named, groups);
}

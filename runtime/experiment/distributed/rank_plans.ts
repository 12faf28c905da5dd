/**
 * Plans of the variants that train on several ranks. Ranks whose models differ, for example by an environment variable, would
 * add gradients that do not belong together.
 *
 * @module
 */
import type { Cluster } from "../../cluster/cluster.ts";
import type { CompiledVariant } from "../../compile/variant.ts";
import { InputError } from "../../core/errors.ts";
import { openFile } from "../../core/files.ts";
import { newSha256 } from "../../core/sha256.ts";
import { formatCounted } from "../../report/format.ts";
import type { Planned } from "../planning.ts";
import { onAllRanks } from "./ranks.ts";

/** Number of differences that a message names. */
const NAMED = 3;

/** Plan of a variant, as far as it must be equal on all ranks. */
interface PlanFacts {
  /** Shapes of the parameters by name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** SHA-256 of the file with the parameters at the start; null for initial values. */
  readonly weights: string | null;
  readonly fingerprint: string;
}

/**
 * Compares the plans of all ranks.
 *
 * @throws {InputError} naming every rank whose plan differs from rank 0's, on all ranks
 */
export async function checkPlans(cluster: Cluster, planned: readonly Planned[]): Promise<void> {
  const own = await onAllRanks(cluster, () => ownFacts(planned));
  const texts = await cluster.gather(JSON.stringify(own));
  const [first, ...others] = texts.map((text) => JSON.parse(text) as Record<string, PlanFacts>);
  const wrong = others.flatMap((other, i) =>
    Object.entries(other).flatMap(([name, facts]) => {
      const different = planDifferences(facts, first![name] ?? facts);
      const more = different.length > NAMED
        ? `, and ${formatCounted(different.length - NAMED, "more difference")}`
        : "";
      if (different.length === 0) return [];
      return [`${cluster.nameOf(i + 1)}: in ${name}, ${different.slice(0, NAMED).join(", ")}${more}`];
    })
  );
  if (wrong.length > 0) {
    throw new InputError(
      `The ranks do not train the same model; start all of them the same way:\n  ${wrong.join("\n  ")}`,
    );
  }
}

/** Returns clauses on the differences of a plan from rank 0's. */
export function planDifferences(facts: PlanFacts, first: PlanFacts): string[] {
  const names = new Set([...Object.keys(facts.parameters), ...Object.keys(first.parameters)]);
  const parameters = [...names].flatMap((name) => {
    const [shape = "missing", expected = "missing"] = [facts.parameters[name], first.parameters[name]];
    return shape === expected ? [] : [`${name} is ${shape} instead of ${expected}`];
  });
  if (parameters.length > 0) return parameters;
  return [
    ...facts.weights === first.weights ? [] : ["the file of weights has other contents"],
    ...facts.fingerprint === first.fingerprint ? [] : ["the plan has other ops, constants or kernels"],
  ];
}

/** Returns the facts of this rank by variant. */
async function ownFacts(planned: readonly Planned[]): Promise<Record<string, PlanFacts>> {
  const own: Record<string, PlanFacts> = {};
  // Variants often share a file of several gigabytes
  const hashes = new Map<string, string>();
  for (const { variant, compiled } of planned) {
    if (variant.config.distribute === null || compiled === null) continue;
    const { weights } = compiled;
    if (weights !== null && !hashes.has(weights)) hashes.set(weights, await hashOf(weights));
    own[variant.name] = factsOf(compiled, weights === null ? null : hashes.get(weights)!);
  }
  return own;
}

function factsOf({ plan }: CompiledVariant, weights: string | null): PlanFacts {
  return {
    parameters: Object.fromEntries(plan.parameters.entries.map(({ name, type }) => [name, type.shape.join("x")])),
    weights,
    fingerprint: plan.fingerprint,
  };
}

async function hashOf(file: string): Promise<string> {
  const hash = newSha256();
  for await (const bytes of openFile(file).readable) hash.update(bytes);
  return hash.digest("hex");
}

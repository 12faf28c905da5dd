/**
 * Properties that all ranks of a distributed training share, and the names of ranks that differ.
 *
 * @module
 */
import type { Cluster } from "../../cluster/cluster.ts";
import { InputError } from "../../core/errors.ts";
import type { Device } from "../../device/device.ts";
import { type Difference, differences, settingText } from "../../report/differences.ts";
import { describeConfig } from "../../scenario/describe.ts";
import type { ResolvedScenario } from "../../scenario/resolve.ts";
import type { ModuleSource } from "../../store/module_source.ts";
import { dataFacts, UNKNOWN } from "../data_facts.ts";
import type { ExperimentOptions } from "../options.ts";

/** Properties that must be equal on all ranks. */
export interface RankFacts {
  /** Properties of the whole run, by name. */
  readonly run: Readonly<Record<string, string>>;
  /** SHA-256 of the script's local modules by path; null if they cannot be listed. */
  readonly modules: Readonly<Record<string, string>> | null;
  /** Settings of each variant. */
  readonly variants: Readonly<Record<string, Record<string, unknown>>>;
}

/** Returns the facts of this rank. */
export async function rankFacts(
  { name, seed, variants }: ResolvedScenario,
  { version, script, modules, device }: {
    version: string;
    script: { readonly sha256: string | null };
    modules: ExperimentOptions["modules"] | undefined;
    device: Device | null;
  },
): Promise<RankFacts> {
  const data = new Map(variants.map(({ config }) => [JSON.stringify(describeConfig(config)["data"]), config.data]));
  const ofData: [string, string][] = [];
  for (const [i, spec] of [...data.values()].entries()) {
    const prefix = data.size === 1 ? "the data's " : `data set ${i + 1}'s `;
    for (const [fact, value] of Object.entries(await dataFacts(spec))) ofData.push([`${prefix}${fact}`, value]);
  }
  return {
    run: {
      "Tacho's version": version,
      "the script's SHA-256": script.sha256 ?? UNKNOWN,
      "the scenario": name,
      seed: String(seed),
      "the adapter": device?.info.name ?? "none",
      ...Object.fromEntries(ofData),
    },
    modules: await modules?.().then(hashesOf, () => null) ?? null, // the run goes on without permission to list them
    variants: Object.fromEntries(variants.map(({ name, config }) => [name, describeConfig(config)])),
  };
}

/** Returns hashes by path, without the script itself, which comes first. */
function hashesOf([, ...modules]: readonly Pick<ModuleSource, "path" | "sha256">[]): Record<string, string> {
  return Object.fromEntries(modules.map(({ path, sha256 }) => [`the SHA-256 of ${path}`, sha256]));
}

/**
 * Compares the facts of all ranks.
 *
 * @throws {InputError} naming every rank that differs from rank 0, on all ranks
 */
export async function checkRanks(cluster: Cluster, facts: RankFacts): Promise<void> {
  const all = (await cluster.gather(JSON.stringify(facts))).map((text) => JSON.parse(text) as RankFacts);
  const [first, ...others] = all as [RankFacts, ...RankFacts[]];
  const wrong = others.flatMap((other, i) =>
    factDifferences(first, other).map(({ path, from, to }) =>
      `${cluster.nameOf(i + 1)}: ${path} is ${settingText(to)}, but ${settingText(from)} on ${cluster.nameOf(0)}`
    )
  );
  if (wrong.length > 0) {
    throw new InputError(
      `The ranks do not run the same training; start all of them the same way:\n  ${wrong.join("\n  ")}`,
    );
  }
}

/** Returns each difference once, even if several variants share it. */
function factDifferences(first: RankFacts, other: RankFacts): Difference[] {
  const unknown = JSON.stringify(UNKNOWN);
  const ofRun = differences(other.run, first.run).filter(({ from, to }) => from !== unknown && to !== unknown);
  const names = [first, other].map(({ variants }) => ({ variants: Object.keys(variants) }));
  const ofVariants = Object.entries(other.variants).flatMap(([name, config]) =>
    differences(config, first.variants[name] ?? config)
  );
  const ofModules = first.modules === null || other.modules === null ? [] : differences(other.modules, first.modules);
  const each = [...ofRun, ...ofModules, ...differences(names[1]!, names[0]!), ...ofVariants].map((one) =>
    [JSON.stringify(one), one] as const
  );
  return [...new Map(each).values()];
}

/**
 * Facts about the ranks of a run: their devices, the network between them, and warnings about their hosts.
 *
 * @module
 */
import type { RankPlace } from "../../analysis/ranks.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { measureNetwork } from "../../cluster/measure_network.ts";
import { InputError } from "../../core/errors.ts";
import type { AdapterInfo } from "../../device/adapter.ts";
import type { Procedure } from "../../result/schema.ts";
import type { Network } from "../../result/ranks.ts";
import { machineState, preflightWarnings } from "../start/preflight.ts";

type Warning = Procedure["warnings"][number];

/** Places of the ranks, and the network between them. */
export interface TeamFacts {
  readonly places: readonly RankPlace[];
  readonly network: Network | null;
  /** Warnings about the machine of each rank. */
  readonly warnings: readonly (readonly Warning[])[];
}

interface OwnFacts extends Pick<RankPlace, "adapter" | "device"> {
  readonly warnings: readonly Warning[];
}

/** Collects the places of all ranks and measures the network between them. */
export async function teamFacts(cluster: Cluster, info: AdapterInfo | null): Promise<TeamFacts> {
  const own: OwnFacts = {
    adapter: info?.name ?? "none",
    device: info?.pci ?? info?.uuid ?? null,
    warnings: preflightWarnings(await machineState(info)),
  };
  const all = (await cluster.gather(JSON.stringify(own))).map((text) => JSON.parse(text) as OwnFacts);
  return {
    places: all.map(({ adapter, device }, rank) => ({ rank, host: cluster.hosts[rank]!, adapter, device })),
    network: await measureNetwork(cluster),
    warnings: all.map(({ warnings }) => warnings),
  };
}

/**
 * Checks that each rank has its own device.
 *
 * @param mayShare true for software adapters, and if the user allows it
 * @throws {InputError} if ranks of a host use the same device
 */
export function checkDevices(places: readonly RankPlace[], mayShare: boolean): void {
  const shared = mayShare ? undefined : sharedDevices(places)[0];
  if (shared === undefined) return;
  const [{ host, adapter, device }] = shared as [RankPlace];
  throw new InputError(
    `${namesOf(shared)} on ${host} use the same device, ${adapter}${
      device === null ? "" : ` (${device})`
    }; choose one ` +
      "for each with --adapter, in an mpirun command with a part for each rank, or let them share it with --share-device",
  );
}

/** Returns the warnings about other hosts than rank 0's, and notes on shared devices. */
export function teamWarnings({ places, warnings }: Pick<TeamFacts, "places" | "warnings">): Warning[] {
  const hosts = new Set([places[0]?.host]);
  const others = places.flatMap(({ rank, host }): Warning[] => {
    if (hosts.has(host)) return [];
    hosts.add(host);
    return warnings[rank]!.map(({ kind, message }) => ({ kind, message: `rank ${rank} on ${host}: ${message}` }));
  });
  const shared = sharedDevices(places).map((ranks): Warning => ({
    kind: "shared-device",
    message: `${namesOf(ranks)} share ${ranks[0]!.adapter} on ${ranks[0]!.host}`,
  }));
  return [...others, ...shared];
}

/** Returns the groups of ranks on one device. */
function sharedDevices(places: readonly RankPlace[]): RankPlace[][] {
  const used = places.filter(({ adapter }) => adapter !== "none");
  return [...Map.groupBy(used, ({ host, adapter, device }) => JSON.stringify([host, device ?? adapter])).values()]
    .filter(({ length }) => length > 1);
}

function namesOf(ranks: readonly RankPlace[]): string {
  const names = ranks.map(({ rank }) => String(rank));
  return `ranks ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Parts of the time in which a step averages gradients over ranks, in ms. They follow each other. */
export interface AllReduceTimes {
  /** Copy of the gradients to the host, after the device's last work of the backward pass. */
  readonly copyOut: number;
  /** Time until the slowest rank has its gradients. */
  readonly wait: number;
  /** Transfers that the step waits for. */
  readonly network: number;
  /** Copy of the averages to the device. */
  readonly copyIn: number;
  /** Transfers while the device works. Not part of the sum. */
  readonly hidden: number;
}

/** Transfers of one bucket over the steps of a block. */
export interface BucketTimes {
  /** Bytes that a rank contributes. */
  readonly bytes: number;
  /** Number of parameters. */
  readonly parameters: number;
  readonly calls: number;
  /** Transfer time from the moment when all ranks are ready, in ms over all calls. */
  readonly total: number;
}

/** Names of the parts that a step waits for, in order. */
export const ALL_REDUCE_PARTS = ["copyOut", "wait", "network", "copyIn"] as const;

/** Names of the parts in tables. */
export const ALL_REDUCE_LABELS: Readonly<Record<typeof ALL_REDUCE_PARTS[number], string>> = {
  copyOut: "copy out",
  wait: "wait for ranks",
  network: "network",
  copyIn: "copy in",
};

/** Returns the time that a step waits for its all-reduce, in ms. */
export function allReduceTime(times: AllReduceTimes): number {
  return ALL_REDUCE_PARTS.reduce((sum, part) => sum + times[part], 0);
}

/** Times on the host's axis, in ms. */
export interface ReduceMoments {
  /** End of the device's work of the backward pass. */
  readonly backwardDone: number;
  /** All gradients are on the host. */
  readonly copiedOut: number;
  /** The averages are on the device. */
  readonly end: number;
  /** Time of the copies to the device. */
  readonly copyIn: number;
  /** For each bucket: all ranks were ready, and the transfer was done. */
  readonly transfers: readonly { readonly ready: number; readonly done: number }[];
}

/** Divides the time of an all-reduce into its parts. */
export function allReduceParts({ backwardDone, copiedOut, end, copyIn, transfers }: ReduceMoments): AllReduceTimes {
  const last = transfers.reduce((latest, { ready }) => Math.max(latest, ready), copiedOut);
  const rest = Math.max(0, end - copiedOut - copyIn);
  const wait = Math.min(rest, last - copiedOut);
  return {
    copyOut: copiedOut - backwardDone,
    wait,
    network: rest - wait,
    copyIn,
    hidden: covered(transfers, backwardDone),
  };
}

/** Returns the time before `limit` in which at least one transfer runs. */
function covered(transfers: ReduceMoments["transfers"], limit: number): number {
  let [sum, reached] = [0, -Infinity];
  for (const { ready, done } of transfers.toSorted((a, b) => a.ready - b.ready)) {
    const [from, to] = [Math.max(ready, reached), Math.min(done, limit)];
    sum += Math.max(0, to - from);
    reached = Math.max(reached, to);
  }
  return sum;
}

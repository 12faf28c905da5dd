/**
 * How the time of work on the device can be taken. `host`: around handing it over, without waiting; what a script that
 * forgets to wait measures. `sync`: until the device is done, which the host waits for. `event`: by the device's own
 * timestamps, read later.
 */
export const TIMINGS = ["host", "sync", "event"] as const;

export type Timing = (typeof TIMINGS)[number];

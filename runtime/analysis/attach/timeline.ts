import { type AttachRecord, RENDER_PASS } from "../../attach/records.ts";
import type { Span, Timeline } from "../../record/timeline.ts";
import { kernelName } from "./kernels.ts";
import { lengthOf } from "./pass_times.ts";
import { type DeviceRecording, gather, hostIntervals } from "./recording.ts";

/** Spans of a timeline; later ones are left out. */
const MAX_SPANS = 100_000;

/** Returns a timeline for the trace of each device: the host's calls, the kernels and the memory of the timed stretches. */
export function attachTimelines(realms: readonly (readonly AttachRecord[])[]): Timeline[] {
  return realms.map(gather).flatMap(({ realm, timeOrigin, devices, marks }) =>
    devices.map((device) => {
      const name = `${realm} device ${device.device.device}`;
      const spans = [
        ...spansOf(device),
        ...marks.map(({ name, start, end }) => ({ track: "marks", name, start, end })),
      ];
      const leftOut = Math.max(0, spans.length - MAX_SPANS);
      const shift = timeOrigin - originOf(realms);
      const shown = spans.sort((a, b) => a.start - b.start).slice(0, MAX_SPANS);
      return {
        variant: name,
        spans: shown.map((span) => ({ ...span, start: span.start + shift, end: span.end + shift })),
        counters: device.stretches.map(({ end, memory }) => ({ counter: "memory", time: end + shift, value: memory })),
        flows: flowsOf(device).slice(0, MAX_SPANS).map(({ from, to, name }) => ({
          name,
          from: { ...from, time: from.time + shift },
          to: { ...to, time: to.time + shift },
        })),
        ...leftOut === 0 ? {} : { leftOut },
      };
    })
  );
}

/** Earliest time origin of the realms, in ms since 1970. */
function originOf(realms: readonly (readonly AttachRecord[])[]): number {
  return Math.min(...realms.map((records) => gather(records.slice(0, 1)).timeOrigin));
}

function spansOf({ stretches, passes, kernels, pipelines }: DeviceRecording): Span[] {
  const host = stretches.flatMap(hostIntervals).filter(({ label }) => label !== "compiling")
    .map(({ label, start, end }) => ({ track: "main", name: label, start, end }));
  const device = passes.filter((pass) => lengthOf(pass) > 0).map(({ site, submit, begin, end }) => {
    const record = kernels[site.kernel];
    const unknown = site.kernel === RENDER_PASS ? `render pass ${site.pass}`.trim() : "unknown kernel";
    return {
      track: "device kernels",
      name: record === undefined ? unknown : kernelName(record),
      start: begin,
      end,
      args: {
        grid: site.grid?.join("x") ?? "indirect",
        bytes: site.bytes,
        submit,
        ...site.line === null ? {} : { line: site.line },
      },
    };
  });
  const compiled = pipelines.flatMap(({ time, callMs, readyMs, kernel }) => {
    const record = kernel === null ? undefined : kernels[kernel];
    if (readyMs === null || record === undefined) return [];
    return [{ track: "pipelines", name: kernelName(record), start: time + callMs, end: time + readyMs }];
  });
  return [...host, ...device, ...compiled];
}

/** Arrows from each submit to its first pass. */
function flowsOf({ submits, passes }: DeviceRecording): Timeline["flows"] {
  const seen = new Set<number>();
  return passes.flatMap(({ submit, begin }) => {
    const call = submits.get(submit);
    if (call === undefined || seen.has(submit)) return [];
    seen.add(submit);
    return [{
      name: "submit",
      from: { track: "main", time: call.start },
      to: { track: "device kernels", time: begin },
    }];
  });
}

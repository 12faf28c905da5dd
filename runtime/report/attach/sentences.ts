import type {
  AttachedBrowser,
  AttachedDevice,
  AttachResult,
  ClockIssue,
  ClockIssueKind,
} from "../../result/attach_result.ts";
import { realmName } from "../../analysis/attach/realm_name.ts";
import { MAIN_REALM } from "../../attach/records.ts";
import { formatCount, formatCounted, formatNumber } from "../format.ts";

/** Matches adapters that browsers use where they find no GPU. */
const SOFTWARE = /swiftshader|basic render/i;

/** Says which device it is, how its steps were found, and what limits its times. */
export function deviceSentences(device: AttachedDevice): string[] {
  const { steps, steadySteps, timedSteps, clock, timestamps, lost } = device;
  if (device.totals.submits === 0) return ["nothing was submitted"];
  const warmUp = steps.steps.length - steadySteps;
  const found = steps.by === "none"
    ? `no steps: ${steps.how}`
    : `${formatCounted(steps.steps.length, "step")}: ${steps.how}`;
  return [
    steps.by === "none"
      ? found
      : `${found}; ${warmUp === 0 ? "no warm-up steps" : formatCounted(warmUp, "warm-up step")}; ` +
        `${timedSteps} of the ${warmUp === 0 ? "" : "other "}${steadySteps} timed`,
    ...SOFTWARE.test(device.adapter) ? ["the adapter is software: its speed says nothing about that of a GPU"] : [],
    ...timestamps === "none" ? ["no times of kernels: the device has no timestamp queries"] : [],
    ...lost === null || lost.reason === "destroyed"
      ? []
      : [`the device was lost (${lost.reason}): ${lost.message || "no message"}`],
    ...clockSentences(clock),
  ];
}

function clockSentences(clock: AttachedDevice["clock"]): string[] {
  const { unslotted, selfTimed } = clock;
  const difficult = clockSentence(clock);
  return [
    ...difficult === null ? [] : [difficult],
    ...unslotted > 0 ? [`${formatCount(unslotted)} dispatches were not timed: all query sets were in use`] : [],
    ...selfTimed > 0
      ? [
        `${formatCount(selfTimed)} render ${
          selfTimed === 1 ? "pass" : "passes"
        } with the program's own timestamps, not ` +
        "timed here",
      ]
      : [],
  ];
}

/** Names a device in a heading. */
export function deviceName({ adapter, label, realm }: AttachedDevice): string {
  const where = realm === MAIN_REALM ? "" : ` in ${realmName(realm)}`;
  return `${label === "" ? "" : `${label}, `}${adapter || "unknown adapter"}${where}`;
}

/** Says what the result as a whole lacks. */
export function resultSentences({ devices, complete, browser, notes }: AttachResult): string[] {
  const what = browser === null ? "program" : "page";
  return [
    ...browser === null ? [] : [browserSentence(browser)],
    ...devices.length === 0
      ? [`the ${what} requested no WebGPU device${browser === null ? "" : missingWebGPU(browser)}`]
      : [],
    ...complete || devices.length === 0 ? [] : [`the ${what} ended without notice: what it did last may be missing`],
    ...notes,
  ];
}

/** Descriptions of passes with an issue. */
const PASSES: Readonly<Record<ClockIssueKind, string>> = {
  coarse: "no longer than that",
  merged: "within one tick",
  overlapping: "overlapping the one before, so times add up to more than the union",
  reset: "across a reset",
  still: "while it stood still",
  negative: "ending before their begin",
  disagrees: "outside the host's times of their submit",
  missing: "without timestamps",
};

/** Says in one line what is difficult about a device's clock; null if nothing is. */
export function clockSentence({ issues, usable, resets, resolution }: AttachedDevice["clock"]): string | null {
  if (issues.length === 0) return null;
  const refused = issues.filter((issue) => issue.refused && issue.passes > 0);
  const parts = [
    ...issues.some(({ kind }) => kind === "coarse") && resolution !== null
      ? [`ticks every ${formatNumber(resolution / 1000)} us`]
      : [],
    ...resets > 0 ? [`wrapped around or was reset ${resets === 1 ? "once" : `${resets} times`}`] : [],
    ...issues.filter((issue) => !issue.refused && issue.passes > 0).map(described),
    ...refused.length > 0 ? [`not counted: ${refused.map(described).join(", ")}`] : [],
    ...usable ? [] : ["no times, since most passes do not count"],
  ];
  return `the device's clock: ${parts.join("; ")}`;
}

function described({ kind, passes }: ClockIssue): string {
  return `${formatCount(passes)} ${passes === 1 ? "pass" : "passes"} ${PASSES[kind]}`;
}

/** Names the browser, and what of its settings matters for times. */
function browserSentence({ product, userAgent, flags, connected, isolated, clockStep }: AttachedBrowser): string {
  return [
    (product ?? productOf(userAgent)).replace("/", " "),
    ...connected ? ["which was running: it rounds timestamps to about 100 us"] : [],
    isolated ? "page cross-origin isolated" : "page not cross-origin isolated, so WebAssembly has one thread",
    ...clockStep === null ? [] : [`performance.now() in steps of ${formatNumber(1000 * clockStep)} us`],
    ...flags.length === 0 ? [] : [`flags ${flags.join(" ")}`],
  ].join("; ");
}

/** Returns name and version of a browser by what it calls itself; all of it where they are not found. */
function productOf(userAgent: string): string {
  const products = [/Firefox\/[\d.]+/, /Edg\/[\d.]+/, /(?:Headless)?Chrome\/[\d.]+/, /Version\/[\d.]+(?= .*Safari)/];
  const [found = userAgent] = products.flatMap((product) => product.exec(userAgent) ?? []);
  return found.replace("Version", "Safari");
}

/** Says why a page has no WebGPU; empty if it has. */
function missingWebGPU({ secure, hasWebGPU }: AttachedBrowser): string {
  if (hasWebGPU) return "";
  return secure
    ? ": the browser gives it none"
    : ": browsers have it on secure origins only, by https or on this machine's own address";
}

import type { AttachedDevice, AttachResult } from "../../analysis/attach/result.ts";
import type { AttachedBrowser } from "../../analysis/attach/browser.ts";
import { realmName } from "../../analysis/attach/realm_name.ts";
import { MAIN_REALM } from "../../attach/records.ts";
import { clockSentence } from "./clock_sentence.ts";
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

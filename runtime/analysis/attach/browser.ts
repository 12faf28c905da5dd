import { type AttachRecord, type LoadRecord, MAIN_REALM } from "../../attach/records.ts";

/** The browser and the page of a recording. */
export interface AttachedBrowser {
  /** Name and version, such as `Chrome/150.0.7871.46`; null where only the page's own account is known. */
  readonly product: string | null;
  readonly userAgent: string;
  readonly url: string;
  /** Flags that it was started with, which change what pages see or how they are measured. */
  readonly flags: readonly string[];
  /** True if it was running already. */
  readonly connected: boolean;
  /** True if the page is cross-origin isolated, so that WebAssembly may have several threads. */
  readonly isolated: boolean;
  /** True if its origin is secure, without which there is no WebGPU. */
  readonly secure: boolean;
  readonly hasWebGPU: boolean;
  /** Step of `performance.now()` in ms; null if unknown. */
  readonly clockStep: number | null;
  /** What the page and its workers loaded; null if it went away without notice. Heaps and times are those of the page. */
  readonly load: Omit<LoadRecord, "kind"> | null;
}

/** Returns the browser of a recording, with the last page that it showed; null if it is no page's. */
export function browserOf(realms: readonly (readonly AttachRecord[])[]): AttachedBrowser | null {
  const records = realms.flat();
  const isMain = ([start]: readonly AttachRecord[]) => start?.kind === "start" && start.realm === MAIN_REALM;
  const page = [...realms.filter((realm) => !isMain(realm)), ...realms.filter(isMain)].flat()
    .findLast((record) => record.kind === "page");
  if (page === undefined) return null;
  const browser = records.find((record) => record.kind === "browser");
  const { kind: _, ...facts } = page;
  const { product = null, flags = [], connected = false } = browser ?? {};
  return { product, flags, connected, ...facts, load: loadOf(realms.filter(isMain), realms.flat()) };
}

/** Returns what the page loaded, with the WebAssembly of its workers and frames. */
function loadOf(
  main: readonly (readonly AttachRecord[])[],
  records: readonly AttachRecord[],
): Omit<LoadRecord, "kind"> | null {
  const page = main.flat().findLast((record) => record.kind === "load");
  if (page === undefined) return null;
  const { kind: _, ...own } = page;
  const all = records.filter((record) => record.kind === "load");
  const sum = (name: "wasm" | "wasmMs" | "wasmBytes") => all.reduce((total, load) => total + load[name], 0);
  return { ...own, wasm: sum("wasm"), wasmMs: sum("wasmMs"), wasmBytes: sum("wasmBytes") };
}

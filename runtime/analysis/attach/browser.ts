import type { AttachedBrowser } from "../../result/attach_result.ts";
import { type AttachRecord, type LoadRecord, MAIN_REALM } from "../../attach/records.ts";

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

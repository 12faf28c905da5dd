import type { AttachedBrowser } from "../../result/attach_result.ts";
import { type AttachRecord, MAIN_REALM } from "../../attach/records.ts";

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
  return { product, flags, connected, ...facts };
}

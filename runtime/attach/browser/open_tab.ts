import type { CdpConnection } from "./cdp.ts";

/** A tab whose page is recorded. */
export interface Tab {
  readonly session: string;
  /** Opens the page. Returns what prevented it, or null. */
  open(url: string): Promise<string | null>;
  /** Leaves the browser. */
  leave(): Promise<void>;
}

/** Opens a tab in a browser of our own, whose shared workers are recorded too. */
export async function ownTab(connection: CdpConnection): Promise<Tab> {
  // Shared workers belong to no page
  const filter = [{ type: "shared_worker" }, { type: "service_worker" }];
  const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter };
  await connection.send("Target.setAutoAttach", attach);
  const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
  const session = String(sessionId);
  return {
    session,
    async open(url) {
      const { errorText } = await connection.send("Page.navigate", { url }, session);
      return errorText === undefined ? null : String(errorText);
    },
    leave: async () => void await connection.send("Browser.close"),
  };
}

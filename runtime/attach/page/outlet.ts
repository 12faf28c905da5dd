import { scope } from "./scope.ts";

/** Receives the text of records, line by line. */
export interface Outlet {
  send(text: string): void;
  /** Called before the page goes away. */
  leave(): void;
  /** Waits until everything sent has arrived. */
  sent(): Promise<unknown>;
}

/** Characters that are kept of a recording that is saved later. */
const MAX_KEPT = 200e6;

/** Sends records through a binding of the browser. */
export function bindingOutlet(binding: (text: string) => void): Outlet {
  return { send: binding, leave() {}, sent: () => Promise.resolve() };
}

/** Posts records to an address. The first failure ends it. */
export function postOutlet(address: string): Outlet {
  const post = fetch.bind(globalThis);
  const beacon = scope.navigator.sendBeacon?.bind(navigator);
  let [leaving, failed, queue] = [false, false, Promise.resolve()];
  const realm = Math.random().toString(36).slice(2); // insecure pages have no crypto.randomUUID
  const url = new URL(address);
  url.searchParams.set("realm", realm);
  return {
    send(body) {
      if (failed) return;
      if (leaving && beacon !== undefined) return void beacon(url, body);
      queue = queue.then(async () => {
        try {
          if (!failed) failed = !(await post(url, { method: "POST", body, credentials: "omit" })).ok;
        } catch {
          failed = true;
        }
      });
    },
    leave: () => void (leaving = true),
    sent: () => queue,
  };
}

/** Keeps records, and returns them on request. */
export function keptOutlet(): Outlet & { text(): string } {
  const kept: string[] = [];
  let size = 0;
  return {
    send(text) {
      size += text.length;
      if (size <= MAX_KEPT) kept.push(text);
    },
    leave() {},
    sent: () => Promise.resolve(),
    text: () => kept.join(""),
  };
}

/** What a page's or worker's global object has beside Deno's; undefined where it is missing. */
interface PageScope {
  readonly document?: {
    readonly currentScript: { readonly src?: string } | null;
    createElement(name: "a"): { href: string; download: string; click(): void };
  };
  readonly top?: unknown;
  readonly isSecureContext: boolean;
  readonly crossOriginIsolated?: boolean;
  readonly navigator: Navigator & { sendBeacon?(url: string | URL, body: string): boolean };
  close(): void;
}

/** The global object of a page or worker. */
export const scope = globalThis as unknown as PageScope & Record<string, unknown>;

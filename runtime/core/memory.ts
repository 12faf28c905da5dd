/** Formats bytes of memory for messages: `12.5 KiB`, `340 MiB`. */
export function formatMemory(bytes: number): string {
  const mebibytes = bytes / 1048576;
  return mebibytes < 1 ? `${(bytes / 1024).toFixed(1)} KiB` : `${mebibytes.toFixed(0)} MiB`;
}

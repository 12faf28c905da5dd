/** Returns the folder of a submitted sweep, relative to the current one. */
export function shardFolder(name: string): string {
  return `${name}.shards`;
}

/**
 * Tries to lock a file for this process alone, or shared with others. The system unlocks it when the process ends.
 *
 * @returns true if locked, false if another process has it, null where the file system has no locks
 */
export function tryLock(file: Deno.FsFile, exclusive: boolean): boolean | null {
  try {
    return file.tryLockSync(exclusive);
  } catch {
    return null;
  }
}

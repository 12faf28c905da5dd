/** Numbers of calls that wait for the device. */
export interface Waits {
  mapAsync: number;
  onSubmittedWorkDone: number;
}

/** Counts the calls of all devices that wait, until it is disposed. */
export function countWaits(): Disposable & { readonly counts: Waits } {
  const counts: Waits = { mapAsync: 0, onSubmittedWorkDone: 0 };
  const { mapAsync } = GPUBuffer.prototype;
  const { onSubmittedWorkDone } = GPUQueue.prototype;
  GPUBuffer.prototype.mapAsync = function (this: GPUBuffer, ...args: Parameters<typeof mapAsync>) {
    counts.mapAsync++;
    return mapAsync.apply(this, args);
  };
  GPUQueue.prototype.onSubmittedWorkDone = function (this: GPUQueue) {
    counts.onSubmittedWorkDone++;
    return onSubmittedWorkDone.apply(this);
  };
  return {
    counts,
    [Symbol.dispose]: () => {
      GPUBuffer.prototype.mapAsync = mapAsync;
      GPUQueue.prototype.onSubmittedWorkDone = onSubmittedWorkDone;
    },
  };
}

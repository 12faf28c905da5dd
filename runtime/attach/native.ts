/**
 * WebGPU as it was before any patch. The recorder calls only these functions, so that it never records its own work.
 *
 * @module
 */

/** The current time in ms, regardless of what the program does to `performance`. */
export const now: () => number = performance.now.bind(performance);

/** Returns methods of WebGPU as they are now. */
function methods() {
  const { createBuffer, createQuerySet, createCommandEncoder } = GPUDevice.prototype;
  const { submit, onSubmittedWorkDone } = GPUQueue.prototype;
  const { beginComputePass, resolveQuerySet, copyBufferToBuffer, finish } = GPUCommandEncoder.prototype;
  const { end, setPipeline, setBindGroup, pushDebugGroup, popDebugGroup } = GPUComputePassEncoder.prototype;
  const { mapAsync, getMappedRange, unmap, destroy: destroyBuffer } = GPUBuffer.prototype;
  return {
    ...{ createBuffer, createQuerySet, createCommandEncoder, submit, onSubmittedWorkDone },
    ...{ beginComputePass, resolveQuerySet, copyBufferToBuffer, finish },
    ...{ end, setPipeline, setBindGroup, pushDebugGroup, popDebugGroup },
    ...{ mapAsync, getMappedRange, unmap, destroyBuffer },
  };
}

/** Methods of WebGPU, to be called with `.call(object, ...)`; empty until {@linkcode captureNative}. */
export const native = {} as ReturnType<typeof methods>;

/** Captures WebGPU's methods before the first patch. In some runtimes, WebGPU exists only once a package is loaded. */
export function captureNative(): void {
  if (native.createBuffer === undefined) Object.assign(native, methods());
}

/**
 * WebGPU as it was before any patch. The recorder calls only these functions, so that it never records its own work.
 *
 * @module
 */

const device = GPUDevice.prototype;
const queue = GPUQueue.prototype;
const encoder = GPUCommandEncoder.prototype;
const pass = GPUComputePassEncoder.prototype;
const buffer = GPUBuffer.prototype;

/** The current time in ms, regardless of what the program does to `performance`. */
export const now: () => number = performance.now.bind(performance);

/** Methods of WebGPU, to be called with `.call(object, ...)`. */
export const native = {
  createBuffer: device.createBuffer,
  createQuerySet: device.createQuerySet,
  createCommandEncoder: device.createCommandEncoder,
  submit: queue.submit,
  onSubmittedWorkDone: queue.onSubmittedWorkDone,
  beginComputePass: encoder.beginComputePass,
  resolveQuerySet: encoder.resolveQuerySet,
  copyBufferToBuffer: encoder.copyBufferToBuffer,
  finish: encoder.finish,
  end: pass.end,
  setPipeline: pass.setPipeline,
  setBindGroup: pass.setBindGroup,
  pushDebugGroup: pass.pushDebugGroup,
  popDebugGroup: pass.popDebugGroup,
  mapAsync: buffer.mapAsync,
  getMappedRange: buffer.getMappedRange,
  unmap: buffer.unmap,
  destroyBuffer: buffer.destroy,
} as const;

/** A package of a program, whose lines are not the program's. */
export function dispatch(pass: GPUComputePassEncoder, count: number): void {
  pass.dispatchWorkgroups(count);
}

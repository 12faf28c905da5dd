/**
 * Creates a pipeline for each kernel of a file, on a driver that writes the SPIR-V it is given (`capture_driver.c`), and
 * prints the names of the files by kernel as JSON.
 *
 * @module
 */
const [kernels, folder] = Deno.args as [string, string];
const adapter = (await navigator.gpu.requestAdapter())!;
const { maxComputeWorkgroupStorageSize, maxComputeInvocationsPerWorkgroup, maxStorageBuffersPerShaderStage } = adapter
  .limits;
const device = await adapter.requestDevice({
  // wgpu lists its own features nowhere
  requiredFeatures: ["shader-f16", "subgroups" as GPUFeatureName],
  requiredLimits: {
    maxComputeWorkgroupStorageSize,
    maxComputeInvocationsPerWorkgroup,
    maxComputeWorkgroupSizeX: maxComputeInvocationsPerWorkgroup,
    maxStorageBuffersPerShaderStage,
  },
});
const written: string[][] = [];
for (const { wgsl } of JSON.parse(Deno.readTextFileSync(kernels)) as { wgsl: string }[]) {
  const files = () => [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".spv"));
  const before = new Set(files());
  const module = device.createShaderModule({ code: wgsl });
  await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
  written.push(files().filter((name) => !before.has(name)));
}
console.log(JSON.stringify(written));
Deno.exit(0);

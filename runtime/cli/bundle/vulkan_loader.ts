/** File name of the Vulkan loader, through which Deno finds the drivers on Linux. */
const LOADER = "libvulkan.so.1";

/** Folders of libraries on common distributions. */
const FOLDERS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"];

/** Returns the path of this machine's Vulkan loader, without links; null if there is none, and outside Linux. */
export async function findVulkanLoader(): Promise<string | null> {
  if (Deno.build.os !== "linux") return null;
  const own = (Deno.env.get("LD_LIBRARY_PATH") ?? "").split(":").filter((folder) => folder !== "");
  for (const path of [...own, ...FOLDERS].map((folder) => `${folder}/${LOADER}`)) {
    try {
      return await Deno.realPath(path);
    } catch {
      // not there
    }
  }
  return null;
}

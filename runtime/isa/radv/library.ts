import { DeviceError } from "../../core/errors.ts";
import { findDrivers } from "../../device/vulkan/drivers.ts";

/** Name by which the dynamic linker finds the driver, whichever drivers the Vulkan loader is told to use. */
const LIBRARY = "libvulkan_radeon.so";

/**
 * Returns the library of Mesa's driver for AMD.
 *
 * @param names libraries to try, the first that loads is taken
 * @throws {DeviceError} if it is not installed, or elsewhere than on Linux
 */
export function driverLibrary(os: string = Deno.build.os, names: readonly string[] = candidates()): string {
  if (os !== "linux") {
    throw new DeviceError(
      `tacho isa runs on Linux, where Mesa's driver for AMD is, not on ${os}. In a container:\n` +
        "  docker run --rm -v .:/work -w /work denoland/deno:debian sh -c 'apt-get update -qq && apt-get install -qq -y " +
        "mesa-vulkan-drivers && deno run -A npm:@tacho/tacho/cli isa FILE.wgsl'",
    );
  }
  const library = names.find(loads);
  if (library !== undefined) return library;
  throw new DeviceError(
    `tacho isa needs Mesa's Vulkan driver for AMD, ${LIBRARY}, which works without a GPU; install it ` +
      "(Debian, Ubuntu: apt-get install mesa-vulkan-drivers; Fedora: dnf install mesa-vulkan-drivers; Arch: pacman -S " +
      "vulkan-radeon)",
  );
}

function candidates(): string[] {
  return [
    ...findDrivers().flatMap(({ library }) => library !== null && /radeon/.test(library) ? [library] : []),
    LIBRARY,
  ];
}

function loads(library: string): boolean {
  try {
    Deno.dlopen(library, {}).close();
    return true;
  } catch {
    return false;
  }
}

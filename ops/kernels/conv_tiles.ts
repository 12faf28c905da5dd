import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { ConvTile } from "./conv_kernel.ts";

/**
 * Tiles of the direct convolution worth trying for so many target channels in a group, the default first. A software
 * adapter wants 32 to 64 vectors of registers in an invocation and workgroups of its native eight lanes; a GPU wants
 * many invocations with few registers.
 */
export function convTiles(targetChannels: number, traits: DeviceTraits): ConvTile[] {
  if (traits.class === "gpu") {
    const vectors = targetChannels > 4 ? 2 : 1;
    return [{ lanes: 64, pixels: 4, vectors }, { lanes: 64, pixels: 2, vectors }];
  }
  if (targetChannels <= 4) return [{ lanes: 8, pixels: 16, vectors: 1 }];
  if (targetChannels <= 8) return [{ lanes: 8, pixels: 16, vectors: 2 }];
  return [{ lanes: 8, pixels: 16, vectors: 4 }, { lanes: 8, pixels: 8, vectors: 4 }];
}

/** Bytes of a texel block and its width, by the parts of a format's name. */
function blockOf(format: string): { bytes: number; width: number; height: number } {
  const astc = /^astc-(\d+)x(\d+)/.exec(format);
  if (astc !== null) return { bytes: 16, width: Number(astc[1]), height: Number(astc[2]) };
  if (/^(bc1|bc4|etc2-rgb8|eac-r11)/.test(format)) return { bytes: 8, width: 4, height: 4 };
  if (/^(bc|etc2|eac)/.test(format)) return { bytes: 16, width: 4, height: 4 };
  const packed: Record<string, number> = {
    "rgb10a2unorm": 4,
    "rgb10a2uint": 4,
    "rg11b10ufloat": 4,
    "rgb9e5ufloat": 4,
    "stencil8": 1,
    "depth16unorm": 2,
    "depth24plus": 4,
    "depth24plus-stencil8": 4,
    "depth32float": 4,
    "depth32float-stencil8": 5,
  };
  const [, channels = "rgba", bits = "8"] = /^(rgba|bgra|rg|r)(8|16|32)/.exec(format) ?? [];
  return { bytes: packed[format] ?? (channels.length * Number(bits)) / 8, width: 1, height: 1 };
}

/** Returns the bytes of a texture's texels, over its mip levels, layers and samples. The device may pad them. */
export function textureBytes(texture: GPUTexture): number {
  const { width, height, depthOrArrayLayers, dimension, mipLevelCount, sampleCount, format } = texture;
  const block = blockOf(format);
  let bytes = 0;
  for (let level = 0; level < mipLevelCount; level++) {
    const at = (size: number) => Math.max(1, size >> level);
    const layers = dimension === "3d" ? at(depthOrArrayLayers) : depthOrArrayLayers;
    bytes += Math.ceil(at(width) / block.width) * Math.ceil(at(height) / block.height) * layers * block.bytes;
  }
  return bytes * sampleCount;
}

/** Returns the bytes of a region of a texture, whose size is in texels. */
export function regionBytes({ format }: GPUTexture, size: GPUExtent3D): number {
  const [width, height = 1, layers = 1] = Symbol.iterator in size
    ? size
    : [size.width, size.height, size.depthOrArrayLayers];
  const block = blockOf(format);
  return Math.ceil(width! / block.width) * Math.ceil(height / block.height) * layers * block.bytes;
}

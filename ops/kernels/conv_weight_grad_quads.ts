/**
 * Weight gradient of a convolution with quads of a subgroup, for small kernels. A lane holds four input channels, so a
 * quad holds sixteen; it sums the products with sixteen output channels for every tap at once. The lanes of a quad
 * share their reads: a pixel of x is read once for all taps of a kernel row and a pixel of dy once for all taps. The
 * quads of a workgroup walk over separate lines and write separate partial sums.
 *
 * @module
 */
import { defineKernel, type KernelPlan, type KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { type ConvGeometry, linesOf } from "../conv_geometry.ts";
import { load } from "./access.ts";
import {
  lineUniforms,
  weightGradBuffers,
  type WeightGradOptions,
  weightGradPlan,
  type WeightGradProblem,
  weightGradShares,
  weightPartials,
} from "./conv_weight_grad_plan.ts";
import { partialBytes } from "./reduce_partials.ts";
import { SIMD_LANES } from "./simd.ts";
import { forRows, sumRows } from "./store_tile.ts";
import { unroll, unroll2 } from "./unroll.ts";

/** Quads per workgroup, each with a share of the sum. */
const QUADS = SIMD_LANES / 4;

/** Input channels and output channels per tile. */
const CHANNELS = 16;

/** Maximum number of taps; each takes sixteen vectors of registers. */
const MAX_TAPS = 9;

export function weightGradQuadsFit(geometry: ConvGeometry, traits: DeviceTraits): boolean {
  const { kernelSize, dilation, inputChannels, outputChannels } = geometry;
  return inputChannels % CHANNELS === 0 && outputChannels % CHANNELS === 0 && dilation[1] === 1 &&
    kernelSize[1] > 1 && kernelSize[0] * kernelSize[1] <= MAX_TAPS &&
    partialBytes(weightPartials(geometry, QUADS)) <= traits.maxStorageBindingBytes;
}

export function quadsWeightGradPlan(problem: WeightGradProblem): KernelPlan {
  const { geometry } = problem;
  const workgroups = weightGradShares(problem, {
    tiles: geometry.groups * (geometry.inputChannels / CHANNELS) * (geometry.outputChannels / CHANNELS),
    wanted: 32,
    most: Math.ceil(linesOf(geometry) / QUADS),
  });
  return weightGradPlan(problem, QUADS * workgroups, (options) => kernel(options));
}

function kernel(options: WeightGradOptions): KernelSpec {
  const { x, dy, geometry: g, splits } = options;
  const lines = linesOf(g);
  return defineKernel({
    name: `${options.name}.quads.${g.kernelSize.join("x")}s${g.stride[1]}.${x.dtype}_${dy.dtype}`,
    buffers: weightGradBuffers(options, { x: 4, dy: 4 }),
    uniforms: {
      lines,
      linesPerSplit: Math.ceil(lines / splits),
      ...lineUniforms(g),
      strideY: g.stride[0],
      paddingX: { i32: g.padding[1] },
      dilationY: g.dilation[0],
      groups: g.groups,
      inputVectors: g.inputChannels / 4,
      vectors: g.outputChannels / 4,
      rowTiles: g.inputChannels / CHANNELS,
    },
    workgroupSize: [SIMD_LANES],
    grid: [splits / QUADS, (g.inputChannels / CHANNELS) * (g.outputChannels / CHANNELS), g.groups],
    body: () => body(options),
  });
}

function body({ x, dy, geometry, traits }: WeightGradOptions): string {
  const [KY, KX] = geometry.kernelSize;
  const stride = geometry.stride[1];
  /** Pixels of a kernel row that the next pixel of dy also sees. */
  const kept = Math.max(0, KX - stride);
  const read = (name: string, ky: number, at: string) =>
    `let ${name}At = ${at};
let ${name}Inside = ${name}At < limit${ky};
let ${name} = select(vec4<f32>(), ${
      load("x", `select(0u, line${ky} + ${name}At * pixel, ${name}Inside)`, x.dtype, 4)
    }, ${name}Inside);`;
  return `
let split = wid.x * ${QUADS}u + lix / 4u;
let lane = lix % 4u;
let group = wid.z;
let channel = group * u.inputVectors + (wid.y % u.rowTiles) * 4u + lane;
let vector = (wid.y / u.rowTiles) * 4u;
let pixel = u.groups * u.inputVectors;
let dyRow = u.groups * u.vectors;
${unroll(KY * KX, (t) => unroll(16, (o) => `var sum${t}_${o} = vec4<f32>();`))}
for (var n = 0u; n < u.linesPerSplit; n++) {
  let number = split * u.linesPerSplit + n;
  let inRange = number < u.lines;
  let line = select(0u, number, inRange);
  let image = line / u.outputY;
  let y = i32((line % u.outputY) * u.strideY) + u.startY;
${
    unroll(KY, (ky) =>
      `let y${ky} = u32(y + i32(${ky}u * u.dilationY));
let limit${ky} = select(0u, u.inputX, inRange && y${ky} < u.inputY);
let line${ky} = (image * u.inputY + y${ky}) * u.inputX * pixel + channel;
${
        unroll(KX - 1, (kx) =>
          `${read(`first${ky}_${kx}`, ky, `u32(${kx} - u.paddingX)`)}\nvar x${ky}_${kx} = first${ky}_${kx};`)
      }`)
  }
  for (var ox = 0u; ox < u.outputX; ox++) {
    let d = ${load("dy", "(line * u.outputX + ox) * dyRow + group * u.vectors + vector + lane", dy.dtype, 4)};
${
    unroll2(KY, KX - kept, (ky, i) =>
      read(`x${ky}_${kept + i}`, ky, `u32(i32(ox * ${stride}u) + ${kept + i} - u.paddingX)`))
  }
${
    unroll(4, (q) =>
      `let q${q} = quadBroadcast(d, ${q}u);
${unroll2(4, KY * KX, (j, t) => `sum${t}_${4 * q + j} += x${Math.floor(t / KX)}_${t % KX} * q${q}[${j}];`)}`)
  }
${unroll2(KY, kept, (ky, kx) => `x${ky}_${kx} = x${ky}_${kx + stride};`)}
  }
}
let first = split * ${KY * KX}u * u.inputVectors * 4u + (wid.y % u.rowTiles) * ${CHANNELS}u +
  lane * 4u;
${
    forRows(traits, sumRows(KY * KX, 16), (tap, sums) =>
      `let row = first + ${tap} * u.inputVectors * 4u;
${
        unroll2(4, 4, (j, v) =>
          `partial[(row + ${j}u) * dyRow + group * u.vectors + vector + ${v}u] = vec4<f32>(${
            [0, 1, 2, 3].map((o) => `${sums[4 * v + o]}[${j}]`).join(", ")
          });`)
      }`)
  }`;
}

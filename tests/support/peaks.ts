import type { Peak, Peaks } from "../../runtime/record/peaks.ts";

/** A peak in FLOP/s, measured under quiet conditions. */
export function compute(value: number, fields: Partial<Peak> = {}): Peak {
  return {
    value,
    unit: "FLOP/s",
    kernel: "fma.16",
    date: "2026-01-02T03:04:05.000Z",
    load: 0,
    spread: 0.01,
    ...fields,
  };
}

/** A peak in bytes/s, measured under quiet conditions. */
export function memory(value: number, fields: Partial<Peak> = {}): Peak {
  return { ...compute(value), unit: "bytes/s", kernel: "copy.4", ...fields };
}

/** Peaks in FLOP/s and bytes/s, on the device's clock. */
export function peaksOf(f32: number, copy: number, f16: number | null = null, fields: Partial<Peak> = {}): Peaks {
  return {
    clock: "device",
    f32: compute(f32, fields),
    f16: f16 === null ? null : compute(f16, fields),
    copy: memory(copy, fields),
  };
}

import type { AttachedDevice, AttachResult } from "../../result/attach_result.ts";
import type { VariantResult } from "../../result/schema.ts";

/** Profile of a program's device, with the name of the program. */
export interface ProfiledProgram {
  readonly name: string;
  readonly device: AttachedDevice;
}

/** Returns the profile of a program as `tacho attach` measures it; null for variants and unprofiled programs. */
export function attachedOf({ attached }: Pick<VariantResult, "attached">): AttachResult | null {
  return attached ?? null;
}

/** A result with programs among its variants. */
export interface WithPrograms {
  readonly variants: readonly Pick<VariantResult, "name" | "attached">[];
}

/** Returns the profiled programs of a result, each with its first device that has steps, or its first one. */
export function profiledPrograms({ variants }: WithPrograms): ProfiledProgram[] {
  return variants.flatMap((variant) => {
    const devices = attachedOf(variant)?.devices ?? [];
    const device = devices.find(({ perStep }) => perStep !== null) ?? devices[0];
    return device === undefined ? [] : [{ name: variant.name, device }];
  });
}

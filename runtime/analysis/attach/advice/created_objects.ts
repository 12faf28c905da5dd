import { bytes, count, counted, ms } from "./evidence.ts";
import { programRule } from "./rule.ts";

/** Proposes to reuse buffers, textures and bind groups if creating them takes time in steps. */
export const createdObjects = programRule("created-objects", ({ counts, starved }) => {
  if (counts.buffers + counts.textures + counts.bindGroups === 0) return null;
  return {
    message: `${counted(counts.buffers, "buffer")}, ${counted(counts.textures, "texture")} and ` +
      `${counted(counts.bindGroups, "bind group")} created per step`,
    fix: "create buffers before the first step, or reuse those of equal size; then bind groups can be reused, too",
    evidence: [
      { label: "size of the buffers created per step", value: bytes(counts.bufferBytes) },
      { label: "buffers destroyed per step", value: count(counts.buffersDestroyed) },
      { label: "in calls that create them", value: ms(counts.createMs) },
    ],
    mostMs: Math.min(counts.createMs, starved),
    reasoning: "time in the calls, capped by the device's time without submitted work",
  };
});

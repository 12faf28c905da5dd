import { bytes, count, counted, ms } from "./evidence.ts";
import { programRule } from "./rule.ts";

/** Proposes to keep bytes on the device that steps read back and upload again. */
export const roundTrips = programRule("roundTrips", ({ counts, account, starved }) => {
  if (counts.roundTrips === 0) return null;
  // Their part of the time in uploads, and of the time in which the device waits for reads
  const uploaded = counts.roundTripBytes / Math.max(counts.roundTripBytes, counts.uploadBytes);
  const read = counts.roundTripBytes / Math.max(counts.roundTripBytes, counts.readBytes);
  const time = uploaded * counts.uploadMs + read * ((account?.idle.read ?? 0) + (account?.idle.wait ?? 0));
  return {
    message: `${counted(counts.roundTrips, "readback")} per step uploaded again unchanged, ` +
      `${bytes(counts.roundTripBytes)} through the host`,
    fix: "keep them on the device: bind the buffer where it is, or copy it with copyBufferToBuffer",
    evidence: [
      { label: "mapped reads per step", value: count(counts.reads) },
      { label: "read back per step", value: bytes(counts.readBytes) },
      { label: "in their uploads and waits", value: ms(time) },
    ],
    mostMs: Math.min(time, starved),
    reasoning:
      "their part of the uploads, and of the device's waits for reads, capped by its time without submitted work",
  };
});

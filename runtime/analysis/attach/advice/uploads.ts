import { bytes, count, counted, ms } from "./evidence.ts";
import { programRule } from "./rule.ts";

/** Mean size up to which uploads are uniforms and the like, in bytes: the cost is that of the calls. */
const SMALL = 4096;

/** Proposes fewer or smaller uploads if steps spend time in them. */
export const uploads = programRule("uploads", ({ counts, account, starved }) => {
  const calls = counts.uploads + counts.mappedUploads;
  if (calls === 0) return null;
  const size = (counts.uploadBytes + counts.mappedUploadBytes) / calls;
  const perDispatch = counts.dispatches === 0 ? "" : `, ${count(calls / counts.dispatches)} per dispatch`;
  // Mapped uploads have no calls whose time is known, except where the device is idle
  const time = Math.max(counts.uploadMs, account?.idle.upload ?? 0);
  return {
    message: `${counted(calls, "upload")} per step${perDispatch}, ${bytes(size)} each`,
    fix: size <= SMALL && calls > 1
      ? "write the small values of a step into one buffer with one writeBuffer, bind them by offset, and write again " +
        "only what has changed"
      : "keep data on the device, upload it in smaller types, or upload the next batch before waiting for this one",
    evidence: [
      { label: "uploads by mapping", value: count(counts.mappedUploads) },
      { label: "uploaded per step", value: bytes(counts.uploadBytes + counts.mappedUploadBytes) },
      { label: "in calls that upload", value: ms(time) },
    ],
    mostMs: Math.min(time, starved),
    reasoning: "time in the calls, capped by the device's time without submitted work",
  };
});

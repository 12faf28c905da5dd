import fc from "./fast_check_package.ts";

/** A fixed seed draws the same values in every run, so that a failure is reproducible. */
fc.configureGlobal({ seed: 1 });

export default fc;

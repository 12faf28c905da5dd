// deno-lint-ignore no-import-prefix -- packages of the configuration are installed by every script
import fc from "npm:fast-check@4.10.2";

/** A fixed seed draws the same values in every run, so that a failure is reproducible. */
fc.configureGlobal({ seed: 1 });

export default fc;

// deno-lint-ignore no-import-prefix -- packages of the configuration are installed by every script
import fc from "npm:fast-check@4.10.2";

/** What is drawn is the same in every run, so that a test that fails does so again. */
fc.configureGlobal({ seed: 1 });

export default fc;

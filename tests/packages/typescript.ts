// deno-lint-ignore no-import-prefix -- packages of the configuration are installed by every script
import ts from "npm:typescript@6.0.3";

export default ts;

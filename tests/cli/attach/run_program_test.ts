import { strictEqual } from "node:assert/strict";
import { runProgram } from "../../../runtime/cli/attach/run_program.ts";

Deno.test({
  name: "programs under attach have the variable without which drivers print errors, unless it is set",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const before = Deno.env.get("XDG_RUNTIME_DIR");
    const expect = (value: string) => runProgram({ program: "sh", args: ["-c", `[ "$XDG_RUNTIME_DIR" = ${value} ]`] });
    try {
      Deno.env.delete("XDG_RUNTIME_DIR");
      strictEqual(await expect("/tmp"), 0);
      Deno.env.set("XDG_RUNTIME_DIR", "/run/mine");
      strictEqual(await expect("/run/mine"), 0);
    } finally {
      if (before === undefined) Deno.env.delete("XDG_RUNTIME_DIR");
      else Deno.env.set("XDG_RUNTIME_DIR", before);
    }
  },
});

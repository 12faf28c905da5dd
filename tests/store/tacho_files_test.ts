import { equal } from "node:assert/strict";
import { packageOfCopy, partOfTacho, partUrl, TACHO_ROOT } from "../../runtime/store/tacho_files.ts";

Deno.test("a module of Tacho has the same path in a clone and in a package of either registry", () => {
  for (const address of ["npm:@tacho/tacho", "npm:/@tacho/tacho@0.1.0", "jsr:@tacho/tacho@^0.1.0", partUrl("mod.ts")]) {
    equal(partOfTacho(address), "mod.ts", address);
  }
  for (const address of ["npm:/@tacho/tacho@0.1.0/jupyter", "jsr:@tacho/tacho/jupyter", partUrl("jupyter.ts")]) {
    equal(partOfTacho(address), "jupyter.ts", address);
  }
  equal(partOfTacho(partUrl("runtime/core/shape.ts")), "runtime/core/shape.ts");
});

Deno.test("other modules are not part of Tacho", () => {
  const others = ["npm:@tacho/other@1.0.0", "npm:tacho", "jsr:@tacho/tacho@0.1.0/other", "node:path"]
    .concat(["scripts/mlp.ts", "examples/01_first_scenario.ts", "mod.tsx"].map((path) => TACHO_ROOT + path));
  for (const address of others) equal(partOfTacho(address), null, address);
});

Deno.test("a copy is of a package where a package manager has put it", () => {
  equal(packageOfCopy("file:///home/me/tacho/"), null);
  equal(packageOfCopy("file:///home/me/project/node_modules/@tacho/tacho/"), "npm:@tacho/tacho");
  equal(packageOfCopy("https://jsr.io/@tacho/tacho/0.1.0/"), "jsr:@tacho/tacho");
});

import { deepStrictEqual } from "node:assert/strict";
import { readQuery, withQuery } from "../../runtime/attach/query.ts";
import { isStepName, parseSteps } from "../../runtime/attach/settings.ts";
import { textureBytes } from "../../runtime/attach/texture_bytes.ts";

Deno.test("steps are parsed, and everything else is refused", () => {
  deepStrictEqual(parseSteps("submit:12"), { by: "submit", count: 12 });
  deepStrictEqual(parseSteps("mark"), { by: "mark" });
  for (const wrong of ["", "submit", "submit:0", "submit:1.5", "marks", "step"]) {
    deepStrictEqual(parseSteps(wrong), null);
  }
});

Deno.test("names that begin with the word step mark steps", () => {
  const names = ["step", "step 3", "Step-end", "step:train", "steps", "stepper", "my step", "epoch"];
  deepStrictEqual(names.filter(isStepName), ["step", "step 3", "Step-end", "step:train"]);
});

Deno.test("the query of the preloaded module keeps the settings", () => {
  const preload = {
    folder: "/tmp/a b&c",
    realm: "file:///w.ts?x=1",
    settings: { steps: { by: "submit", count: 3 }, stack: true, budget: 0.1, timing: false },
  } as const;
  deepStrictEqual(readQuery(new URL(withQuery("file:///preload.ts", preload))), preload);
});

Deno.test("textures are measured over levels, layers, samples and blocks", () => {
  const texture = (facts: object) =>
    ({
      ...{ width: 5, height: 3, depthOrArrayLayers: 1, dimension: "2d", mipLevelCount: 1, sampleCount: 1 },
      ...{ format: "rgba8unorm", ...facts },
    }) as GPUTexture;
  deepStrictEqual(textureBytes(texture({})), 60);
  deepStrictEqual(textureBytes(texture({ mipLevelCount: 3 })), 60 + 2 * 1 * 4 + 1 * 1 * 4);
  deepStrictEqual(textureBytes(texture({ depthOrArrayLayers: 2, sampleCount: 4, format: "r32float" })), 15 * 4 * 2 * 4);
  deepStrictEqual(textureBytes(texture({ format: "bc1-rgba-unorm" })), 2 * 1 * 8);
  deepStrictEqual(textureBytes(texture({ format: "astc-4x4-unorm" })), 2 * 1 * 16);
  deepStrictEqual(textureBytes(texture({ format: "rg16float" })), 60);
});

import { decayKernel } from "../../../ops/optimizer/update_kernel.ts";
import { STEP_STATE_WORDS, StepWord } from "../../../ops/optimizer/step_state.ts";
import { decode, encode } from "../../../runtime/core/f16.ts";
import { bind, encodePass } from "../../../runtime/device/bind.ts";
import { testDevice } from "../../support/evaluate.ts";
import { assertClose, normals, rounded } from "../../support/op_case.ts";

const COUNT = 4 * 263;
const SCALE = 8;
const FACTOR = 0.75;

for (const decoupled of [false, true]) {
  for (const dtype of ["f32", "f16"] as const) {
    for (const skip of [0, 1]) {
      const what = `${decoupled ? "decoupled" : "added"} decay in ${dtype}${skip === 1 ? ", skipped" : ""}`;
      Deno.test(`${what} changes only the gradients`, async () => {
        const device = await testDevice();
        if (dtype === "f16" && !device.traits.f16) return;
        const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
        const [parameters, gradients] = [1, 2].map((seed) => rounded(normals(COUNT, seed), dtype)) as [
          Float64Array,
          Float64Array,
        ];
        const state = new Uint32Array(STEP_STATE_WORDS);
        state[StepWord.skip] = skip;
        new Float32Array(state.buffer)[StepWord.inverseScale] = 1 / SCALE;
        const contents = [encode(parameters, dtype), state, encode(gradients, dtype)].map((data) =>
          new Uint8Array(data instanceof Uint32Array ? data.buffer : data)
        );
        const buffers = contents.map((data, i) => device.buffer(`${i}`, data.byteLength, usage));
        contents.forEach((data, i) => device.write(buffers[i]!, 0, data));
        const range = { dtype, vectors: COUNT / 4, maxPerDimension: 2 };
        const kernel = decayKernel({ factor: FACTOR, decoupled }, range);
        const bound = await bind(device, [{ kernel, buffers: buffers.map((buffer) => ({ buffer })) }]);
        const encoder = device.gpu.createCommandEncoder();
        encodePass(encoder, "decay", bound.dispatches);
        device.submit(encoder);
        const sizes = [0, 2].map((i) => ({ buffer: buffers[i]!, offset: 0, size: contents[i]!.byteLength }));
        const [kept, written] = (await device.read(sizes)).map((bytes) => Float64Array.from(decode(bytes, dtype)));
        bound.free();
        for (const buffer of buffers) device.free(buffer);
        const want = skip === 1
          ? gradients
          : parameters.map((p, i) => FACTOR * p + (decoupled ? 0 : gradients[i]! / SCALE));
        const tolerance = dtype === "f16" ? 1e-3 : 1e-6;
        assertClose(kept!, parameters, 0, "parameters");
        assertClose(written!, want, tolerance, what);
      });
    }
  }
}

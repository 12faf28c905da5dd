import assert from "node:assert/strict";
import {
  add,
  conv2d,
  flatten,
  InputError,
  type Layer,
  layer,
  linear,
  mul,
  scope,
  sign,
  stopGradient,
  sub,
  type Tensor,
} from "../../mod.ts";
import { classified, type Settings, small, trainerOf } from "../trainer/models.ts";

const shape = [3, 6, 5];

/** A classifier of images whose `change` lies between a convolution and a linear layer. */
function model(change: (x: Tensor) => Tensor): Layer {
  const [conv, fc] = [scope("conv", conv2d(4, { kernel: 3 })), scope("fc", linear(3))];
  return layer((x) => fc(flatten()(change(conv(x)))));
}

async function outcome(change: (x: Tensor) => Tensor, settings: Settings) {
  await using trainer = await trainerOf(small({ ...settings, model: model(change), data: classified(shape, 3) }));
  const { loss } = await trainer.step();
  const gradients = await trainer.gradients();
  const of = (name: string) => [...gradients.get(name)!.data];
  return { loss, conv: of("conv.weight"), fc: of("fc.weight") };
}

const SETTINGS: readonly Settings[] = [
  {},
  { compile: { fusion: false } },
  { compile: { layout: "nchw" } },
  { amp: "O2" },
  { amp: "O3" },
];

Deno.test("a tensor behind stopGradient is a constant of the backward pass", async () => {
  for (const settings of SETTINGS) {
    const where = JSON.stringify(settings);
    const whole = await outcome((x) => mul(x, x), settings);
    const half = await outcome((x) => mul(x, stopGradient(x)), settings);
    assert.equal(half.loss, whole.loss, where);
    assert.deepEqual(half.fc, whole.fc, where);
    assert.ok(whole.conv.some((value) => value !== 0), where);
    const largest = Math.max(...whole.conv.map(Math.abs));
    const tolerance = settings.amp === undefined ? 1e-6 : 2e-3;
    half.conv.forEach((value, i) => {
      assert.ok(Math.abs(2 * value - whole.conv[i]!) <= tolerance * largest, `${where}: ${value}, ${whole.conv[i]}`);
    });
  }
});

Deno.test("parameters that only a stopped tensor depends on do not change", async () => {
  await using trainer = await trainerOf(small({ model: model(stopGradient), data: classified(shape, 3) }));
  const weight = async () => [...(await trainer.parameters()).get("conv.weight")!.data];
  const before = await weight();
  await trainer.step();
  assert.deepEqual(await weight(), before);
  assert.ok((await trainer.gradients()).get("fc.weight")!.data.some((value) => value !== 0));
});

Deno.test("signs can have the gradient of the identity", async () => {
  const signs = await outcome((x) => add(x, stopGradient(sub(sign(x), x))), {});
  const plain = await outcome(sign, {});
  assert.ok(Math.abs(signs.loss - plain.loss) < 1e-5);
  assert.ok(plain.conv.every((value) => value === 0));
  assert.ok(signs.conv.some((value) => value !== 0));
});

Deno.test("stopGradient refuses what is no tensor", () => {
  assert.throws(() => stopGradient(1 as unknown as Tensor), InputError);
});

import { layerInfo } from "../nn/layer.ts";
import type { Config } from "./config.ts";
import { isPlain } from "./merge.ts";

/** Returns a model's name in reports: `resnet20`, or `model` for one without a title. */
function modelTitle({ model }: Pick<Config, "model">): string | null {
  if (model === null) return null;
  return layerInfo(model)?.title ?? "model";
}

/** Converts a configuration to plain JSON: the model as its title, typed arrays as type and length, no functions. */
export function describeConfig(config: Config): Record<string, unknown> {
  const { model, ...settings } = config;
  const files = model === null ? [] : layerInfo(model)?.files ?? [];
  return {
    model: modelTitle(config),
    ...files.length === 0 ? {} : { modelFiles: [...files] },
    ...plain(settings) as Record<string, unknown>,
  };
}

function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) {
    return `${value.constructor.name}(${(value as { length?: number }).length ?? value.byteLength})`;
  }
  if (Array.isArray(value)) return value.map(plain);
  if (isPlain(value)) {
    return Object.fromEntries(
      Object.entries(value).filter(([, item]) => item !== undefined && typeof item !== "function")
        .map(([key, item]) => [key, plain(item)]),
    );
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  return value === null || typeof value === "boolean" || typeof value === "string" ? value : String(value);
}

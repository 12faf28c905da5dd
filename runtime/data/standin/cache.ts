import { homedir } from "node:os";
import { join } from "node:path";

/** Version of the images. It changes with every pixel, so that an outdated set in the cache is not used. */
export const STAND_IN_VERSION = 1;

/** Returns `TACHO_CACHE`, else `tacho` in `XDG_CACHE_HOME`, else `~/.cache/tacho`. */
export function cacheFolder(): string {
  const own = Deno.env.get("TACHO_CACHE");
  if (own) return own;
  const xdg = Deno.env.get("XDG_CACHE_HOME");
  return xdg ? join(xdg, "tacho") : join(homedir(), ".cache", "tacho");
}

/** The photos: version (it changes with every pixel, as above), size in pixels (usual in COCO), and number per class. */
export const PHOTOS = { version: 1, height: 480, width: 640, perClass: 6 } as const;

/** Version of the text. It changes with every character, so that an outdated text in the cache is not used. */
export const TEXT_VERSION = 1;

/** Returns the folder of the stand-in for CIFAR-10. */
export function standInFolder(): string {
  return join(cacheFolder(), `cifar10-standin-v${STAND_IN_VERSION}`);
}

/** Returns the folder of the photos' stand-in. */
export function photosFolder(): string {
  return join(cacheFolder(), `photos-standin-v${PHOTOS.version}`);
}

/** Returns the folder of the text stand-in. */
export function textFolder(): string {
  return join(cacheFolder(), `text-standin-v${TEXT_VERSION}`);
}

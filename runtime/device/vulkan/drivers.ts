/**
 * Vulkan drivers on Linux. A driver is a JSON file, its manifest, that names a library.
 *
 * @module
 */
import { dirname, isAbsolute, join } from "node:path";
import { isFile, readText } from "../../core/files.ts";
import { environment } from "../environment.ts";

export interface VulkanDriver {
  /** Path of the manifest. */
  readonly manifest: string;
  /** Path or name of the library; null if the manifest names none. */
  readonly library: string | null;
  /** True if the loader uses the driver without being asked to. */
  readonly listed: boolean;
}

/** Manifests outside the loader's folders: SwiftShader, a software driver that browsers bring. */
const OTHERS = [
  "/usr/lib/chromium/vk_swiftshader_icd.json",
  "/usr/lib/chromium-browser/vk_swiftshader_icd.json",
  "/usr/lib64/chromium-browser/vk_swiftshader_icd.json",
  "/opt/google/chrome/vk_swiftshader_icd.json",
];

/** Variables that replace the loader's list of manifests, the current name first. */
const REPLACING = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];

/** Returns the drivers that the loader lists, in its order, and those of browsers. */
export function findDrivers(): VulkanDriver[] {
  const listed = manifests();
  return [
    ...listed.map((manifest) => ({ manifest, library: libraryOf(manifest), listed: true })),
    ...OTHERS.filter((path) => !listed.includes(path) && exists(path)).map((manifest) => ({
      manifest,
      library: libraryOf(manifest),
      listed: false,
    })),
  ];
}

function manifests(): string[] {
  const replaced = REPLACING.map((name) => paths(name)).find((found) => found.length > 0);
  const places = replaced ?? [
    ...paths("VK_ADD_DRIVER_FILES"),
    ...configFolders().map((folder) => join(folder, "vulkan", "icd.d")),
  ];
  return [...new Set(places.flatMap((place) => place.endsWith(".json") ? [place] : manifestsIn(place)))];
}

/** Returns the folders of configuration and data, as the XDG specification and the loader order them. */
function configFolders(): string[] {
  const home = environment("HOME");
  const own = (name: string, folder: string) => environment(name) ?? (home === null ? null : join(home, folder));
  const shared = (name: string, folders: string) => (environment(name) || folders).split(":");
  return [
    own("XDG_CONFIG_HOME", ".config"),
    ...shared("XDG_CONFIG_DIRS", "/etc/xdg"),
    "/etc",
    own("XDG_DATA_HOME", ".local/share"),
    ...shared("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
  ].flatMap((folder) => folder === null || folder === "" ? [] : folder);
}

function paths(variable: string): string[] {
  return (environment(variable) ?? "").split(":").filter((path) => path !== "");
}

function manifestsIn(folder: string): string[] {
  if (!mayRead(folder)) return [];
  try {
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".json"));
    return names.sort().map((name) => join(folder, name));
  } catch {
    return []; // there is no such folder
  }
}

function libraryOf(manifest: string): string | null {
  if (!mayRead(manifest)) return null;
  try {
    const path: unknown = JSON.parse(readText(manifest))?.ICD?.library_path;
    if (typeof path !== "string") return null;
    // A bare name is searched for like any library
    return isAbsolute(path) || !path.includes("/") ? path : join(dirname(manifest), path);
  } catch {
    return null;
  }
}

function exists(path: string): boolean {
  return mayRead(path) && isFile(path);
}

/** Returns true if a path may be read without a permission prompt, which would interrupt the run. */
function mayRead(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

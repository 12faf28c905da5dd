import { join } from "node:path";

/** Names of Chromium and Chrome in PATH. */
export const BROWSER_NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/** Returns the path of Chromium or Chrome from CHROME_PATH or PATH; null if neither is installed. */
export function findBrowser(): string | null {
  const named = Deno.env.get("CHROME_PATH");
  if (named !== undefined && named !== "") return named;
  const suffix = Deno.build.os === "windows" ? ".exe" : "";
  const folders = (Deno.env.get("PATH") ?? "").split(Deno.build.os === "windows" ? ";" : ":");
  for (const name of BROWSER_NAMES) {
    for (const folder of folders) {
      const file = join(folder, name + suffix);
      try {
        if (Deno.statSync(file).isFile) return file;
      } catch {
        // not there
      }
    }
  }
  return null;
}

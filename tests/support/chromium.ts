export {
  BROWSER_NAMES as CHROMIUM_NAMES,
  findBrowser as findChromium,
} from "../../runtime/attach/browser/find_browser.ts";

export { micromark } from "npm:micromark@4.0.3";
export { gfm, gfmHtml } from "npm:micromark-extension-gfm@3.0.0";

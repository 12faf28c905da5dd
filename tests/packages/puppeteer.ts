export { default } from "npm:puppeteer-core@25.16.0";
export type { Browser, MediaFeature, Page } from "npm:puppeteer-core@25.16.0";

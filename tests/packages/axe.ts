export { default } from "npm:axe-core@4.11.0";

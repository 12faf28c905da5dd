import axe from "npm:axe-core@4.11.0";

/** Source of axe-core, to run in a page. */
export const { source } = axe;

/** Names that a kernel gives to a form's uniforms and buffers. */
export interface FormNames {
  /** Returns the expression that reads a field of the form's uniforms. */
  readonly uniform: (field: string) => string;
  /** Returns the variable of one of the form's buffers. */
  readonly buffer: (name: string) => string;
}

/** Names in a kernel with a single form. */
const SOLE_FORM: FormNames = { uniform: (field) => `u.${field}`, buffer: (name) => name };

/** WGSL that reads uniforms or buffers. The kernel chooses their names, so that it can hold several forms. */
export class FormCode {
  readonly render: (names: FormNames) => string;

  constructor(render: (names: FormNames) => string) {
    this.render = render;
  }

  /** Returns the code for a kernel with a single form, so that equal forms have equal JSON. */
  toJSON(): string {
    return this.render(SOLE_FORM);
  }
}

/** Returns the WGSL of a form's code, which may be a string if it reads inputs only. */
export function renderCode(code: string | FormCode = "", names: FormNames = SOLE_FORM): string {
  return typeof code === "string" ? code : code.render(names);
}

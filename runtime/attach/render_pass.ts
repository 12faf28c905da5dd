/** A render pass. */
export interface RenderPass {
  readonly label: string;
  /** True if it carries timestamps of the program. */
  readonly selfTimed: boolean;
}

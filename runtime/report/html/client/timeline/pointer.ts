/// <reference lib="dom" />

/** What the pointer does to a timeline. */
export interface PointerActions {
  readonly pan: (pixels: number) => void;
  /** Makes what is seen `factor` times as long, around a place in the window. */
  readonly zoom: (factor: number, clientX: number) => void;
  readonly select: (event: MouseEvent) => void;
  readonly zoomTo: (event: MouseEvent) => void;
  /** Called after what changes the picture. */
  readonly changed: () => void;
}

/** A pointer that moves less than this many pixels clicks. */
const LEAST_DRAG = 4;

/** Pixels of the wheel that zoom by a factor of 2. */
const WHEEL_DOUBLE = 240;

/** Dragging moves, Ctrl and the wheel zoom, a wheel that goes sideways moves; the page keeps the plain wheel. */
export function listenToPointer(stage: HTMLElement, actions: PointerActions): void {
  let dragged: { readonly x: number; readonly moved: boolean } | null = null;
  stage.addEventListener("pointerdown", (event) => {
    dragged = { x: event.clientX, moved: false };
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    if (dragged === null) return;
    const by = event.clientX - dragged.x;
    if (!dragged.moved && Math.abs(by) < LEAST_DRAG) return;
    actions.pan(-by);
    dragged = { x: event.clientX, moved: true };
    actions.changed();
  });
  stage.addEventListener("pointerup", (event) => {
    if (dragged !== null && !dragged.moved) actions.select(event);
    dragged = null;
  });
  stage.addEventListener("pointercancel", () => dragged = null);
  stage.addEventListener("dblclick", (event) => {
    actions.zoomTo(event);
    actions.changed();
  });
  stage.addEventListener("wheel", (event) => {
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) actions.zoom(2 ** (event.deltaY / WHEEL_DOUBLE), event.clientX);
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) actions.pan(sideways);
    else return;
    event.preventDefault();
    actions.changed();
  }, { passive: false });
}

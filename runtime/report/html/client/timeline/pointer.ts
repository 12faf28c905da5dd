/// <reference lib="dom" />

/** Actions of the pointer on a timeline. */
export interface PointerActions {
  readonly pan: (pixels: number) => void;
  /** Scales the visible range by `factor`, around a position in the window. */
  readonly zoom: (factor: number, clientX: number) => void;
  readonly select: (event: MouseEvent) => void;
  readonly zoomTo: (event: MouseEvent) => void;
  /** Called after a change of the picture. */
  readonly changed: () => void;
}

/** Largest movement of a click, in pixels. */
const MIN_DRAG = 4;

/** Pixels of wheel movement that zoom by a factor of 2. */
const WHEEL_DOUBLE = 240;

/** Adds pointer control: drag or scroll sideways to pan, Ctrl and wheel to zoom; the plain wheel scrolls the page. */
export function listenToPointer(stage: HTMLElement, actions: PointerActions): void {
  let dragged: { readonly x: number; readonly moved: boolean } | null = null;
  stage.addEventListener("pointerdown", (event) => {
    dragged = { x: event.clientX, moved: false };
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    if (dragged === null) return;
    const by = event.clientX - dragged.x;
    if (!dragged.moved && Math.abs(by) < MIN_DRAG) return;
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

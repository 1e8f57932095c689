/** A place in the window. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PointerDrag {
  /** What is dragged: a copy of it follows the pointer. Without one, only `onFrame` shows the drag. */
  readonly source: HTMLElement;
  readonly hasGhost: boolean;
  /** The press has become a drag. */
  readonly onBegin: () => void;
  /** Called at most once for each frame. Returns true to be called again without a movement. */
  readonly onFrame: (at: Point) => boolean;
  /** The drag has ended: at a place, or null if it was given up. */
  readonly onEnd: (at: Point | null) => void;
}

/** Pixels that a mouse moves before a press becomes a drag. */
const SLACK = 5;
/** Milliseconds that a finger rests before it drags: before that it scrolls. */
const REST = 300;

/** Follows a press until it is released. Nothing of React renders meanwhile. */
export function startPointerDrag(press: PointerEvent, drag: PointerDrag): void {
  const isTouch = press.pointerType !== 'mouse';
  let at: Point = { x: press.clientX, y: press.clientY };
  let ghost: Ghost | null = null;
  let isOn = false;
  let frame = 0;

  const begin = () => {
    isOn = true;
    if (drag.hasGhost) ghost = createGhost(drag.source, at);
    drag.source.dataset['dragged'] = '';
    drag.onBegin();
    draw();
  };
  const rest = isTouch ? setTimeout(begin, REST) : undefined;
  function draw(): void {
    frame = 0;
    if (!isOn) return;
    ghost?.follow(at);
    if (drag.onFrame(at)) frame = requestAnimationFrame(draw);
  }
  function move(event: PointerEvent): void {
    if (event.pointerId !== press.pointerId) return;
    at = { x: event.clientX, y: event.clientY };
    const isFar = Math.hypot(at.x - press.clientX, at.y - press.clientY) > SLACK;
    if (!isOn && isFar && isTouch) stop(null);
    else if (!isOn && isFar) begin();
    if (isOn && frame === 0) frame = requestAnimationFrame(draw);
  }
  function stop(end: Point | null): void {
    const wasOn = isOn;
    isOn = false;
    clearTimeout(rest);
    cancelAnimationFrame(frame);
    ghost?.remove();
    delete drag.source.dataset['dragged'];
    for (const [name, listener] of listeners) window.removeEventListener(name, listener, true);
    if (wasOn) drag.onEnd(end);
  }
  function drop(event: PointerEvent): void {
    if (event.pointerId !== press.pointerId) return;
    if (isOn) swallowClick();
    stop(at);
  }
  function cancel(event: Event): void {
    if (event instanceof KeyboardEvent && event.key !== 'Escape') return;
    if (isOn && event instanceof KeyboardEvent) event.stopPropagation();
    stop(null);
  }
  // A finger that drags does not scroll.
  function hold(event: Event): void {
    if (isOn) event.preventDefault();
  }
  const listeners: readonly (readonly [string, EventListener])[] = [
    ['pointermove', move as EventListener],
    ['pointerup', drop as EventListener],
    ['pointercancel', cancel],
    ['keydown', cancel],
    ['touchmove', hold],
    ['contextmenu', hold],
  ];
  for (const [name, listener] of listeners)
    window.addEventListener(name, listener, { capture: true, passive: false });
}

// The release would otherwise open the record.
function swallowClick(): void {
  const swallow = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener('click', swallow, { capture: true, once: true });
  setTimeout(() => window.removeEventListener('click', swallow, true));
}

interface Ghost {
  readonly follow: (at: Point) => void;
  readonly remove: () => void;
}

function createGhost(source: HTMLElement, at: Point): Ghost {
  const box = source.getBoundingClientRect();
  const ghost = source.cloneNode(true) as HTMLElement;
  ghost.dataset['ghost'] = '';
  ghost.removeAttribute('data-card');
  ghost.inert = true;
  ghost.style.inlineSize = `${box.width}px`;
  ghost.style.blockSize = `${box.height}px`;
  document.body.append(ghost);
  return {
    follow: ({ x, y }) => {
      ghost.style.transform = `translate(${box.left + x - at.x}px, ${box.top + y - at.y}px) rotate(1.5deg)`;
    },
    remove: () => ghost.remove(),
  };
}

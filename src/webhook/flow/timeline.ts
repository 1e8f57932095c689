/** A priority queue of items by time: a heap, the earliest first. */
export class Timeline<T> {
  readonly #slots: Slot<T>[] = [];

  /** The earliest time; infinite when empty. */
  get next(): number {
    return this.#slots[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  add(at: number, item: T): void {
    const slots = this.#slots;
    const slot = { at, item };
    let index = slots.length;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = slots[above];
      if (!parent || parent.at <= at) break;
      slots[index] = parent;
      index = above;
    }
    slots[index] = slot;
  }

  /** Removes the earliest item that is due; null when there is none. */
  take(now: number): T | null {
    const slots = this.#slots;
    const first = slots[0];
    if (!first || first.at > now) return null;
    const last = slots.pop();
    if (last && slots.length > 0) this.#sink(last);
    return first.item;
  }

  #sink(slot: Slot<T>): void {
    const slots = this.#slots;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      const [left, right] = [slots[below], slots[below + 1]];
      if (right && left && right.at < left.at) below += 1;
      const child = slots[below];
      if (!child || child.at >= slot.at) break;
      slots[index] = child;
      index = below;
    }
    slots[index] = slot;
  }
}

interface Slot<T> {
  readonly at: number;
  readonly item: T;
}

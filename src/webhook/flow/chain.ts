/** A member of at most one chain at a time. */
export class Linked<T extends Linked<T>> {
  chain: Chain<T> | null = null;
  previous: T | null = null;
  next: T | null = null;
}

/** A doubly linked queue: members can leave from any position, each step in constant time. */
export class Chain<T extends Linked<T>> {
  first: T | null = null;
  size = 0;
  #last: T | null = null;

  /** Appends the item, after removing it from its present chain. */
  add(item: T): void {
    item.chain?.remove(item);
    item.chain = this;
    item.previous = this.#last;
    if (this.#last) this.#last.next = item;
    else this.first = item;
    this.#last = item;
    this.size += 1;
  }

  /** Puts the item first. */
  addFirst(item: T): void {
    item.chain?.remove(item);
    item.chain = this;
    item.next = this.first;
    if (this.first) this.first.previous = item;
    else this.#last = item;
    this.first = item;
    this.size += 1;
  }

  remove(item: T): void {
    if (item.chain !== this) return;
    if (item.previous) item.previous.next = item.next;
    else this.first = item.next;
    if (item.next) item.next.previous = item.previous;
    else this.#last = item.previous;
    item.chain = null;
    item.previous = null;
    item.next = null;
    this.size -= 1;
  }
}

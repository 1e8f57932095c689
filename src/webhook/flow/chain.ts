/** Something that is in one chain at a time, or in none. */
export class Linked<T extends Linked<T>> {
  chain: Chain<T> | null = null;
  previous: T | null = null;
  next: T | null = null;
}

/** A queue whose members can leave from anywhere, each step in constant time however many there are. */
export class Chain<T extends Linked<T>> {
  first: T | null = null;
  size = 0;
  #last: T | null = null;

  /** Puts it at the end, out of whichever chain it was in. */
  add(item: T): void {
    item.chain?.remove(item);
    item.chain = this;
    item.previous = this.#last;
    if (this.#last) this.#last.next = item;
    else this.first = item;
    this.#last = item;
    this.size += 1;
  }

  /** Puts it at the beginning. */
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

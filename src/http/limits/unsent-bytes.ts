/** A reply in flight to a client. */
export interface Unsent {
  /** The user, or the address of a Guest. */
  readonly caller: string;
  /** Ends the connection. */
  readonly cut: () => void;
}

interface Account {
  bytes: number;
  /** Bytes at the last refusal: until the number falls, the caller is refused again. */
  full: number;
  readonly replies: Map<Unsent, number>;
}

/**
 * Accounts for the bytes in memory that clients have not read yet: per reply, per caller, and in total. Every
 * caller may have one reply of any size; with more replies, a caller stays below `perCaller`.
 */
export class UnsentBytes {
  readonly #perCaller: number;
  readonly #most: number;
  readonly #callers = new Map<string, Account>();
  #total = 0;

  constructor(limits: { readonly perCaller: number; readonly total: number }) {
    this.#perCaller = limits.perCaller;
    this.#most = limits.total;
  }

  get total(): number {
    return this.#total;
  }

  /**
   * True when the caller may have so many more bytes. After a refusal, everything is refused until the caller
   * has read some.
   */
  admits(caller: string, more: number): boolean {
    const account = this.#callers.get(caller);
    if (!account || account.bytes === 0) return true;
    if (account.bytes + more > this.#perCaller) account.full = account.bytes;
    return account.bytes < account.full;
  }

  /** Begins the account of a reply, or changes it. */
  set(reply: Unsent, bytes: number): void {
    let account = this.#callers.get(reply.caller);
    if (!account) {
      account = { bytes: 0, full: Number.POSITIVE_INFINITY, replies: new Map() };
      this.#callers.set(reply.caller, account);
    }
    const change = bytes - (account.replies.get(reply) ?? 0);
    account.replies.set(reply, bytes);
    account.bytes += change;
    this.#total += change;
  }

  /** Ends the account of a reply. */
  delete(reply: Unsent): void {
    const account = this.#callers.get(reply.caller);
    const bytes = account?.replies.get(reply);
    if (!account || bytes === undefined) return;
    account.replies.delete(reply);
    account.bytes -= bytes;
    this.#total -= bytes;
    if (account.replies.size === 0) this.#callers.delete(reply.caller);
  }

  /**
   * Cuts replies off until the caller, and then all callers together, have few enough bytes: first the
   * largest reply of the caller with the most. Returns how many.
   */
  enforce(caller: string): number {
    let count = 0;
    while (isOver(this.#callers.get(caller), this.#perCaller)) count += this.#cutLargest(caller);
    while (this.#total > this.#most) {
      const [worst, account] = largest(this.#callers, ({ bytes }) => bytes) ?? [];
      if (worst === undefined || (this.#callers.size === 1 && !isOver(account, this.#most))) break;
      count += this.#cutLargest(worst);
    }
    return count;
  }

  #cutLargest(caller: string): number {
    const [reply] = largest(this.#callers.get(caller)?.replies ?? [], (bytes) => bytes) ?? [];
    if (!reply) return 0;
    this.delete(reply);
    reply.cut();
    return 1;
  }
}

function isOver(account: Account | undefined, most: number): boolean {
  return account !== undefined && account.bytes > most && account.replies.size > 1;
}

function largest<K, V>(all: Iterable<readonly [K, V]>, sizeOf: (value: V) => number) {
  let found: readonly [K, V] | null = null;
  for (const each of all) if (!found || sizeOf(each[1]) > sizeOf(found[1])) found = each;
  return found;
}

import { createStore, type Store } from '../../base/store.ts';
import type { Found } from '../../data/documents.ts';

/** The choice of the entry that creates a document. */
export const NEW = 'new';
/** The choice of the entry that searches in a dialog. */
export const SEARCH = 'search';
/** An entry after the documents. */
export type Extra = typeof NEW | typeof SEARCH;
export type Choice = Found | Extra;

/** The options of a picker. They belong to `text`, never to an earlier text. */
export interface LinkOptionsState {
  /** Null while the picker is closed. */
  readonly text: string | null;
  readonly found: readonly Found[];
  readonly isLoading: boolean;
  readonly error: unknown;
  /** The highlighted entry: a document, or one of the entries after them; -1 for none. */
  readonly active: number;
  /** True if the user moved the highlight. A match that was highlighted by itself is not firm. */
  readonly isFirm: boolean;
}

const CLOSED: LinkOptionsState = {
  text: null,
  found: [],
  isLoading: false,
  error: null,
  active: -1,
  isFirm: false,
};

/** Debounce in milliseconds. A key that needs the answer ends it. */
const PAUSE = 100;

interface LinkListOptions {
  readonly ask: (text: string, signal: AbortSignal) => Promise<readonly Found[]>;
  /** Entries after the documents, such as the one that creates a document. */
  readonly extras: () => readonly Extra[];
  /** The first list loads without a pause, later ones after it. */
  readonly pause?: number;
}

/**
 * The search of one picker. Keys give the same result at any speed: those pressed before the answer wait for
 * it, and a new text drops the options of the old one.
 */
export class LinkList {
  readonly state: Store<LinkOptionsState> = createStore(CLOSED);
  readonly #options: LinkListOptions;
  #control = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #answer: Promise<void> = Promise.resolve();
  #ask: () => void = () => undefined;
  /** Downward keys before the answer. */
  #steps = 0;

  constructor(options: LinkListOptions) {
    this.#options = options;
  }

  /** Searches for a text; null closes the list. */
  look(text: string | null): void {
    const wanted = text?.trim() ?? null;
    if (wanted === this.state.get().text) return;
    this.#control.abort();
    this.#ask();
    this.#steps = 0;
    if (wanted === null) {
      this.state.set(CLOSED);
      return;
    }
    this.#control = new AbortController();
    this.state.set({ ...CLOSED, text: wanted, isLoading: true });
    const { signal } = this.#control;
    const due = Promise.withResolvers<void>();
    this.#ask = () => {
      clearTimeout(this.#timer);
      due.resolve();
    };
    this.#answer = due.promise.then(() => this.#load(wanted, signal));
    this.#timer = setTimeout(this.#ask, wanted === '' ? 0 : (this.#options.pause ?? PAUSE));
  }

  /** Moves the highlight. The first move down confirms a match that was highlighted by itself. */
  move(by: 1 | -1): void {
    const { isLoading, isFirm, active, found } = this.state.get();
    if (isLoading) {
      this.#steps = Math.max(0, this.#steps + by);
      this.#ask();
      return;
    }
    const last = found.length + this.#options.extras().length - 1;
    const next = by > 0 ? (isFirm || active < 0 ? active + 1 : active) : active <= 0 ? last : active - 1;
    this.state.set({ ...this.state.get(), active: Math.min(next, last), isFirm: true });
  }

  /** The highlighted entry for the current text, after its answer. Null if nothing is highlighted. */
  async choice(): Promise<Choice | null> {
    const { text, isLoading } = this.state.get();
    if (isLoading) {
      this.#ask();
      await this.#answer;
    }
    return this.state.get().text === text ? this.choiceNow() : null;
  }

  /** The highlighted entry; null if nothing is highlighted or the answer is still missing. */
  choiceNow(): Choice | null {
    const { active, found } = this.state.get();
    return found[active] ?? (active < 0 ? null : (this.#options.extras()[active - found.length] ?? null));
  }

  /** The documents found for the current text. */
  async found(): Promise<readonly Found[]> {
    this.#ask();
    await this.#answer;
    return this.state.get().found;
  }

  async #load(text: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      const found = await this.#options.ask(text, signal);
      if (signal.aborted) return;
      const meant = meantBy(text, found);
      const first = text === '' ? -1 : Math.max(0, meant ? found.indexOf(meant) : 0);
      // Keys pressed unseen stay within the matches: they never create a document.
      const active = Math.min(
        this.#steps > 0 ? Math.max(0, first) + this.#steps - 1 : first,
        found.length - 1,
      );
      this.state.set({ ...CLOSED, text, found, active, isFirm: this.#steps > 0 && active >= 0 });
    } catch (error) {
      if (!signal.aborted) this.state.set({ ...CLOSED, text, error });
    }
  }
}

/** True if a document was chosen. */
export function isFound(choice: Choice | null | undefined): choice is Found {
  return typeof choice === 'object' && choice !== null;
}

/**
 * The one document whose name or title equals the text, ignoring case. Undefined if none or several match.
 */
export function meantBy(text: string, found: readonly Found[]): Found | undefined {
  const wanted = text.trim().toLowerCase();
  const named = found.find((one) => one.value.toLowerCase() === wanted);
  const titled = found.filter((one) => one.label?.toLowerCase() === wanted);
  return named ?? (titled.length === 1 ? titled[0] : undefined);
}

import { createStore, type Store } from '../../base/store.ts';
import type { Design } from './design-data.ts';
import type { Draft, DraftField } from './draft.ts';

/** The state of a designer, outside React, so that a key press renders one field. */
export interface DesignState {
  readonly draft: Draft;
  /** The key of the selected field; null when none is. */
  readonly selected: string | null;
  /** Problems that the server found, by fieldname; '' for those of the doctype. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

/** The steps that can be undone. */
const MOST = 200;
/** Typing in one property is one step until it pauses, in milliseconds. */
const PAUSE = 1_000;

/** A doctype while it is designed, with undo. */
export class DesignStore {
  readonly state: Store<DesignState>;
  /** What is stored; null for a new doctype. */
  design: Design | null;
  base: Draft;
  #past: Draft[] = [];
  #future: Draft[] = [];
  #typed = '';
  #at = Number.NEGATIVE_INFINITY;

  constructor(design: Design | null, base: Draft) {
    this.design = design;
    this.base = base;
    this.state = createStore<DesignState>(fresh(base));
  }

  get draft(): Draft {
    return this.state.get().draft;
  }

  get isDirty(): boolean {
    return this.draft !== this.base && !isSame(this.draft, this.base);
  }

  /** Changes the draft. Changes with the same `typed` in quick succession are one step. */
  change(make: (draft: Draft) => Draft, typed = ''): void {
    const { draft } = this.state.get();
    const next = make(draft);
    if (next === draft) return;
    const now = Date.now();
    const isTyping = typed !== '' && typed === this.#typed && now - this.#at < PAUSE;
    if (!isTyping) this.#past = [...this.#past.slice(-MOST), draft];
    this.#typed = typed;
    this.#at = now;
    this.#future = [];
    this.#show(next);
  }

  /** Changes the fields. */
  changeFields(make: (fields: readonly DraftField[]) => readonly DraftField[], typed = ''): void {
    this.change((draft) => {
      const fields = make(draft.fields);
      return fields === draft.fields ? draft : { ...draft, fields };
    }, typed);
  }

  undo(): void {
    const before = this.#past.pop();
    if (!before) return;
    this.#future.push(this.draft);
    this.#typed = '';
    this.#show(before);
  }

  redo(): void {
    const after = this.#future.pop();
    if (!after) return;
    this.#past.push(this.draft);
    this.#typed = '';
    this.#show(after);
  }

  select(key: string | null): void {
    if (this.state.get().selected !== key) this.state.set({ ...this.state.get(), selected: key });
  }

  setProblems(problems: DesignState['problems']): void {
    this.state.set({ ...this.state.get(), problems });
  }

  /** Takes over what is stored now, after a save or a conflict. */
  adopt(design: Design, base: Draft, draft: Draft = base): void {
    this.design = design;
    this.base = base;
    this.#past = [];
    this.#future = [];
    this.state.set({ ...fresh(draft), selected: null });
  }

  #show(draft: Draft): void {
    const { selected } = this.state.get();
    const isThere = draft.fields.some(({ key }) => key === selected);
    this.state.set({
      draft,
      selected: isThere ? selected : null,
      problems: this.state.get().problems,
      canUndo: this.#past.length > 0,
      canRedo: this.#future.length > 0,
    });
  }
}

function fresh(draft: Draft): DesignState {
  return { draft, selected: null, problems: new Map(), canUndo: false, canRedo: false };
}

// After undoing everything, nothing is to be saved. Most parts are the same objects.
function isSame(one: Draft, other: Draft): boolean {
  return (
    one.fields.length === other.fields.length &&
    one.fields.every((field, at) => isEqual(field.values, other.fields[at]?.values)) &&
    isEqual(one.properties, other.properties) &&
    isEqual(one.permissions, other.permissions) &&
    isEqual(one.children, other.children)
  );
}

function isEqual(one: object, other: object | undefined): boolean {
  return one === other || (other !== undefined && textOf(one) === textOf(other));
}

function textOf(value: object): string {
  return JSON.stringify(Array.isArray(value) ? value : Object.entries(value).toSorted());
}

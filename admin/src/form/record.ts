import { announce } from '../base/announce.ts';
import { t } from '../base/i18n.ts';
import { createStore, type Store } from '../base/store.ts';
import { callMethod } from '../data/api.ts';
import { ApiError, isApiError } from '../data/api-error.ts';
import type { RightName } from '../data/boot.ts';
import {
  createDocument,
  type Doc,
  deleteDocument,
  readDocument,
  updateDocument,
  type Versioned,
} from '../data/documents.ts';
import type { ChangeEvent } from '../data/events.ts';
import { keys } from '../data/keys.ts';
import { queryClient } from '../data/query-client.ts';
import { isTable } from '../meta/fieldtypes.ts';
import { forgetTitles } from '../meta/link-titles.ts';
import type { MetaBundle } from '../meta/meta.ts';
import { bindErrors } from './bind-errors.ts';
import { problemsOf } from './check-values.ts';
import { type Difference, differencesOf } from './conflict.ts';
import { DocStore } from './doc-store.ts';
import type { Values } from './doc-values.ts';
import { lastSaved } from './last-saved.ts';
import { type Busy, type RecordState, startState } from './record-state.ts';

/** A document to edit. If `stored` is null, a new one with the initial `values`. */
export interface RecordSource {
  readonly bundle: MetaBundle;
  readonly stored: Versioned | null;
  readonly values?: Values;
  readonly rights: ReadonlySet<RightName>;
}

/** Model of a document in a form: its values, its state and its actions. */
export class RecordModel {
  readonly bundle: MetaBundle;
  readonly rights: ReadonlySet<RightName>;
  readonly store: DocStore;
  readonly state: Store<RecordState>;

  constructor({ bundle, stored, values = {}, rights }: RecordSource) {
    this.bundle = bundle;
    this.rights = rights;
    const tables = bundle.meta.fields
      .filter((field) => isTable(field.fieldtype))
      .map((field) => field.fieldname);
    this.store = new DocStore(stored?.doc ?? values, { tables });
    this.state = createStore(startState(stored));
  }

  get doctype(): string {
    return this.bundle.meta.name;
  }

  /** Null for a new document. */
  get name(): string | null {
    return this.state.get().stored?.name ?? null;
  }

  /** Saves the changes. Returns true on success; otherwise the errors are in the store and the state. */
  save(): Promise<boolean> {
    return this.#write('save', {}, t('Saved'));
  }

  /** Saves and submits in one request. */
  submit(): Promise<boolean> {
    return this.#write('submit', { docstatus: 1 }, t('Submitted'));
  }

  /** Cancels a submitted document. */
  cancel(): Promise<boolean> {
    return this.#write('cancel', { docstatus: 2 }, t('Cancelled'));
  }

  /** Reloads the document and drops unsaved changes. */
  async reload(): Promise<void> {
    const { name } = this;
    if (name === null) return;
    this.#set({ busy: 'reload', failure: null });
    try {
      this.#adopt(await readDocument(this.doctype, name));
      announce(t('Reloaded'));
    } catch (failure) {
      this.#set({ failure });
    } finally {
      this.#set({ busy: null });
    }
  }

  /** Resolves a conflict: fields in `kept` keep the user's value, all others take the other user's. */
  settle(kept: readonly string[]): void {
    const { conflict } = this.state.get();
    if (!conflict) return;
    const taken = new Set(conflict.differences.map((one) => one.field.fieldname));
    const mine = this.store.dirtyFields().filter((field) => !taken.has(field) || kept.includes(field));
    this.store.rebase(conflict.doc, { kept: mine });
    this.#set({
      stored: conflict.doc,
      etag: conflict.etag,
      conflict: null,
      pending: null,
      isOutdated: false,
    });
  }

  /** Leaves a conflict unresolved. The next save meets it again. */
  postpone(): void {
    this.#set({ conflict: null });
  }

  /** Handles a change by another user. Marks change without a save. */
  async notice({ event, modified }: Pick<ChangeEvent, 'event' | 'modified'>): Promise<void> {
    const { stored, busy } = this.state.get();
    if (!stored || busy !== null) return;
    if (event === 'on_mark' || !isSameMoment(stored.modified, modified)) await this.refresh();
  }

  /**
   * Reads the document again. Takes over its marks, and all fields that this user did not change; the others wait
   * in `pending`.
   */
  async refresh(): Promise<void> {
    const { stored, busy } = this.state.get();
    if (!stored || busy !== null) return;
    const fresh = await readDocument(this.doctype, stored.name).catch(() => null);
    const now = this.state.get();
    if (!fresh || now.busy !== null) return;
    if (now.stored?.modified === fresh.doc.modified) {
      this.#set({ stored: fresh.doc, etag: fresh.etag });
      this.#forget();
    } else if (this.store.isDirty && fresh.doc.docstatus !== stored.docstatus)
      this.#set({ isOutdated: true });
    else this.#merge(fresh);
  }

  /** Opens the choice between the values that both users changed. */
  choose(): void {
    this.#set({ conflict: this.state.get().pending });
  }

  #merge(fresh: Versioned): void {
    const found = differencesOf(this.bundle.meta, this.store, fresh.doc);
    const before = this.state.get().pending?.differences ?? [];
    const isOther = (one: Difference) => !found.some(({ field }) => field === one.field);
    // An earlier choice stays open, with the value of now.
    const open = before.filter(isOther).map((one) => ({ ...one, theirs: fresh.doc[one.field.fieldname] }));
    const differences = [...open, ...found];
    this.store.rebase(fresh.doc, { kept: this.store.dirtyFields() });
    this.#set({
      stored: fresh.doc,
      etag: fresh.etag,
      pending: differences.some((one) => one.isBoth) ? { ...fresh, differences } : null,
      taken: {
        by: fresh.doc.modified_by,
        fields: found.filter((one) => !one.isBoth).map(({ field }) => field),
        at: Date.now(),
      },
    });
    this.#forget();
  }

  /** Creates the draft that amends a cancelled document. Returns its name. */
  async amend(): Promise<string> {
    const draft = await callMethod<Doc>('chancery.amend_document', {
      doctype: this.doctype,
      name: this.name,
    });
    this.#forget();
    return String(draft.name);
  }

  /** Renames the document, or merges it into the document with that name. Returns the name. */
  async rename(to: string, isMerge: boolean): Promise<string> {
    const args = { doctype: this.doctype, old_name: this.name, new_name: to, merge: isMerge ? 1 : 0 };
    const name = await callMethod<string | number>('frappe.client.rename_doc', args);
    this.#forgetLists();
    return String(name);
  }

  /** Deletes the document. */
  async delete(): Promise<void> {
    if (this.name === null) return;
    await deleteDocument(this.doctype, this.name);
    this.#forgetLists();
  }

  async #write(busy: Busy, extra: Values, done: string): Promise<boolean> {
    if (this.state.get().busy !== null) return false;
    if (this.state.get().pending) {
      this.choose();
      return false;
    }
    this.store.dropUnwritten();
    const problems = problemsOf(this.bundle, this.store);
    if (problems.length > 0) {
      this.store.setErrors(problems);
      this.#refused(null);
      return false;
    }
    this.#set({ busy, failure: null });
    const sent = this.store.snapshot();
    try {
      const stored = await this.#send(extra);
      this.#adopt(stored, sent);
      this.#tell(done, extra);
      return true;
    } catch (error) {
      if (isStale(error)) return await this.#meetConflict(error, extra, done);
      this.#refuse(error);
      return false;
    } finally {
      this.#set({ busy: null });
    }
  }

  #tell(done: string, extra: Values): void {
    announce(done);
    // Another status shows itself.
    if (!('docstatus' in extra))
      lastSaved.set({ doctype: this.doctype, name: this.name ?? '', at: Date.now() });
  }

  #send(extra: Values): Promise<Versioned> {
    const { stored, etag } = this.state.get();
    if (!stored) return createDocument(this.doctype, { ...this.store.whole(), ...extra });
    return updateDocument(this.doctype, stored.name, { ...this.store.diff(), ...extra }, { etag });
  }

  async #meetConflict(error: unknown, extra: Values, done: string): Promise<boolean> {
    const { name } = this;
    try {
      const theirs = await readDocument(this.doctype, name ?? this.doctype);
      const differences = differencesOf(this.bundle.meta, this.store, theirs.doc);
      const before = this.state.get().stored;
      if (differences.length > 0 || theirs.doc.docstatus !== before?.docstatus) {
        this.#set({ conflict: { ...theirs, differences } });
        return false;
      }
      // The other user's version has the same values, so there is nothing to ask.
      this.store.rebase(theirs.doc, { kept: this.store.dirtyFields() });
      this.#set({ stored: theirs.doc, etag: theirs.etag });
      const sent = this.store.snapshot();
      this.#adopt(await this.#send(extra), sent);
      this.#tell(done, extra);
      return true;
    } catch (again) {
      this.#refuse(isStale(again) ? error : again);
      return false;
    }
  }

  #adopt(stored: Versioned, sent?: Values): void {
    this.store.rebase(stored.doc, sent ? { sent } : {});
    const rest = { failure: null, conflict: null, pending: null, isOutdated: false };
    this.#set({ stored: stored.doc, etag: stored.etag, ...rest });
    this.#forget();
  }

  #refuse(error: unknown): void {
    if (!(error instanceof ApiError)) {
      this.#refused(error);
      throw error;
    }
    const { fields, rest } = bindErrors(error, this.bundle);
    this.store.setErrors(fields);
    this.#refused(rest.length > 0 || fields.length === 0 ? withMessages(error, rest) : null);
  }

  #refused(failure: unknown): void {
    this.#set({ failure, refusals: this.state.get().refusals + 1 });
  }

  // Lists and titles may be stale now.
  #forgetLists(): void {
    void queryClient.invalidateQueries({ queryKey: keys.lists(this.doctype) });
    if (this.name !== null) forgetTitles(this.doctype, this.name);
  }

  // Also invalidates related data, such as comments.
  #forget(): void {
    this.#forgetLists();
    if (this.name !== null)
      void queryClient.invalidateQueries({ queryKey: keys.doc(this.doctype, this.name) });
    void queryClient.invalidateQueries({ queryKey: keys.lists('Version') });
  }

  #set(changes: Partial<RecordState>): void {
    this.state.set({ ...this.state.get(), ...changes });
  }
}

function isStale(error: unknown): boolean {
  return isApiError(error, 'PreconditionFailedError', 'TimestampMismatchError');
}

// One of the two may lack fractions of a second.
function isSameMoment(one: string | undefined, other: string): boolean {
  // Settings that were never saved have none.
  if (one === undefined) return false;
  const length = Math.min(one.length, other.length);
  return one.slice(0, length) === other.slice(0, length);
}

function withMessages(error: ApiError, rest: readonly string[]): ApiError {
  if (rest.length === 0) return error;
  const { status, type, exception, requestId, retryAfter } = error;
  return new ApiError(status, type, rest, { exception, requestId, retryAfter, cause: error });
}

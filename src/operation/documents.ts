import type { Document } from '../doctype/doctype.ts';
import type { Expectation } from '../document/check/latest.ts';
import type { Context } from '../document/contract.ts';
import { countRows, listDocumentsText } from '../document/list/list.ts';
import { type ListPage, listPage } from '../document/list/list-page.ts';
import type { ListText } from '../document/list/list-stream.ts';
import { visibleTo } from '../document/load/permit.ts';
import { presentDocument } from '../document/load/present.ts';
import type { Stored } from '../document/load/stored-text.ts';
import { copyDocument } from '../document/verbs/copy.ts';
import { type DocumentCall, type Ran, runDocumentMethod } from '../document/verbs/document-method.ts';
import { readDocument, readDocumentWithRevision, readStored } from '../document/verbs/read.ts';
import type { VirtualWrite } from '../document/virtual/virtual-doctype.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Fields } from '../kernel/value.ts';
import type { ListParameters } from '../query/list-query.ts';
import { describeDoctype } from '../site/schema/definitions/describe-doctype.ts';
import { records, textArgument, texts } from './arguments.ts';
import { runBulk } from './bulk.ts';
import { includedParts } from './docinfo.ts';
import { CREATES, DELETES, UPDATES } from './events.ts';
import type { Call, Operation } from './operation.ts';
import { createRecord, deleteRecord, requireSomeRight, updateRecord, type Written } from './records.ts';

/**
 * An operation on documents that clients reach by an address of its own, not by a method name. Addresses
 * supply arguments of the right types, so nothing is parsed here.
 */
export interface DocumentOperation<A = never, R = unknown>
  extends Pick<Operation, 'name' | 'summary' | 'effect' | 'transaction'>,
    Partial<Pick<Operation, 'events'>> {
  /** The kind of write. A caller who may make it to no document is refused before the body is read. */
  readonly writes?: VirtualWrite;
  /** The operation may write to the audit log: its context carries the request's provenance. */
  readonly isNoted?: true;
  run(ctx: Context, args: A, call: Call): Promise<R>;
}

/** The doctype and name of a document. */
export interface DocumentPlace {
  readonly doctypeName: string;
  readonly name: string;
}

/** A document with its revision; null when a write has none. */
export interface Revised {
  readonly doc: Document;
  readonly revision: number | null;
}

/** A list, with the facts beyond its rows that the request asked for. */
export interface Listed {
  readonly text: ListText;
  readonly page: Omit<ListPage, 'json'> | null;
}

interface ListArguments {
  readonly doctypeName: string;
  readonly parameters: ListParameters;
  /** Whether to find out what follows the page. */
  readonly isPage: boolean;
}

/** Lists documents. */
export const list: DocumentOperation<ListArguments, Listed> = {
  name: 'list',
  summary: 'List documents',
  effect: 'read',
  transaction: 'unit',
  isNoted: true,
  async run(ctx, { doctypeName, parameters, isPage }, { replica }) {
    if (!isPage)
      return { text: await listDocumentsText(ctx, doctypeName, parameters, replica()), page: null };
    const { json, ...page } = await listPage(ctx, doctypeName, parameters, replica());
    return { text: json, page };
  },
};

/** Creates a document. */
export const create: DocumentOperation<{ doctypeName: string; fields: Fields }, Revised> = {
  name: 'create',
  summary: 'Create a document',
  effect: 'write',
  events: CREATES,
  writes: 'create',
  transaction: 'unit',
  run: async (ctx, { doctypeName, fields }) => revised(ctx, await createRecord(ctx, doctypeName, fields)),
};

interface ReadArguments extends DocumentPlace {
  /** The parts to include, separated by commas; empty for none. */
  readonly include: string;
}

/** A document with the requested parts. */
export interface ReadInFull extends Revised {
  readonly parts: Fields | null;
}

/** Reads a document with the requested parts. */
export const read: DocumentOperation<ReadArguments, ReadInFull | Stored> = {
  name: 'read',
  summary: 'Read a document',
  effect: 'read',
  transaction: 'unit',
  async run(ctx, { doctypeName, name, include }, call) {
    const replica = call.replica();
    const stored = include === '' ? await readStored(ctx, doctypeName, name, replica) : null;
    if (stored) return stored;
    const { doc, revision } = await readDocumentWithRevision(ctx, doctypeName, name, replica);
    if (include === '') return { doc, revision, parts: null };
    return { doc, revision, parts: await includedParts(ctx, ctx.doctypes.get(doc.doctype), doc, include) };
  },
};

interface UpdateArguments extends DocumentPlace {
  readonly fields: Fields;
  readonly expected: Expectation;
}

/** Changes the fields in the request. */
export const update: DocumentOperation<UpdateArguments, Revised> = {
  name: 'update',
  summary: 'Update a document',
  effect: 'write',
  events: UPDATES,
  writes: 'update',
  transaction: 'unit',
  run: async (ctx, { doctypeName, name, fields, expected }) =>
    revised(ctx, await updateRecord(ctx, doctypeName, name, fields, expected)),
};

/** Deletes a document. */
export const remove: DocumentOperation<DocumentPlace & { expected: Expectation }, void> = {
  name: 'delete',
  summary: 'Delete a document',
  effect: 'write',
  events: DELETES,
  writes: 'delete',
  transaction: 'unit',
  run: (ctx, { doctypeName, name, expected }) => deleteRecord(ctx, doctypeName, name, expected),
};

/** Runs a method of a document. A GET request runs only methods that read. */
export const runMethod: DocumentOperation<DocumentCall, Ran> = {
  name: 'runMethod',
  summary: 'Run a method of a document',
  effect: 'write',
  events: 'any',
  transaction: 'unit',
  run: (ctx, call) => runDocumentMethod(ctx, call),
};

/** The fields of a new copy of this document. */
export const copy: DocumentOperation<DocumentPlace, Fields> = {
  name: 'copy',
  summary: 'Copy a document without saving it',
  effect: 'read',
  transaction: 'unit',
  async run(ctx, { doctypeName, name }) {
    const source = await readDocument(ctx, doctypeName, name);
    const doctype = ctx.doctypes.get(source.doctype);
    const copied = await visibleTo(ctx, doctype, copyDocument(ctx, doctype, source));
    const precision = ctx.site.settings.timestampPrecision;
    const wire = presentDocument(ctx.doctypes, copied, { nulls: false, precision });
    const rows = doctype.tables.flatMap(({ fieldname }) => wire[fieldname] ?? []);
    for (const holder of [wire, ...(rows as (typeof wire)[])])
      for (const key of NOT_COPIED) delete holder[key];
    return wire;
  },
};

const NOT_COPIED = [
  'name',
  'owner',
  'creation',
  'modified',
  'modified_by',
  'parent',
  'parentfield',
  'parenttype',
];

interface BulkArguments {
  readonly doctypeName: string;
  /** The body, which is parsed only after the caller's right is checked. */
  readonly given: Fields;
}

const TO_DELETE = texts(LIMITS.bulkItems);
const TO_UPDATE = records(LIMITS.bulkItems);

/** Deletes documents, each in its own transaction. */
export const bulkDelete: DocumentOperation<BulkArguments, Fields> = {
  name: 'bulkDelete',
  summary: 'Delete documents, each in its own transaction',
  effect: 'write',
  events: DELETES,
  transaction: 'own',
  async run(ctx, { doctypeName, given }, call) {
    requireSomeRight(ctx, doctypeName, 'delete');
    const items = TO_DELETE.parse(given, 'names').map((name) => ({ doctypeName, name, fields: null }));
    return runBulk(ctx, call, 'deleted', items, ({ name }) => name);
  },
};

/** Updates documents, each in its own transaction. */
export const bulkUpdate: DocumentOperation<BulkArguments, Fields> = {
  name: 'bulkUpdate',
  summary: 'Update documents, each in its own transaction',
  effect: 'write',
  events: UPDATES,
  transaction: 'own',
  async run(ctx, { doctypeName, given }, call) {
    requireSomeRight(ctx, doctypeName, 'write');
    const items = TO_UPDATE.parse(given, 'docs').map(({ doctype: _doctype, name, ...fields }) => ({
      doctypeName,
      name: textArgument({ name }, 'name'),
      fields,
    }));
    return runBulk(ctx, call, 'updated', items, ({ name }) => name);
  },
};

/** Counts documents. */
export const count: DocumentOperation<{ doctypeName: string; parameters: ListParameters }, number> = {
  name: 'count',
  summary: 'Count documents',
  effect: 'read',
  transaction: 'unit',
  run: (ctx, { doctypeName, parameters }, { replica }) => countRows(ctx, doctypeName, parameters, replica()),
};

/** Reads the effective definition of a doctype. */
export const meta: DocumentOperation<{ doctypeName: string }, unknown> = {
  name: 'meta',
  summary: 'Read a doctype with its customizations',
  effect: 'read',
  transaction: 'unit',
  run: (ctx, { doctypeName }) => describeDoctype(ctx, doctypeName),
};

// The transaction's effects hold the document's new revision.
function revised(ctx: Context, { doc, holder }: Written): Revised {
  const event = ctx.events.findLast(
    (one) => one.doctype.name === holder.doctype && one.doc.name === holder.name,
  );
  return { doc, revision: event && !event.doctype.is_virtual ? event.revision : null };
}

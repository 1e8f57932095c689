import type { Sql } from '../db/sql.ts';
import type { ChildRow, DocType, Document, Right } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { FieldValue } from '../kernel/value.ts';
import type { Change } from './change.ts';
import type { Context } from './context.ts';
import type { DocumentMethod } from './method.ts';
import type { VirtualSource } from './virtual-source.ts';

/** A hook: may change `doc` (before the rows are written), read and write through `ctx`, or throw to refuse. */
export type Hook = (doc: Document, ctx: Context, change: Change) => void | Promise<void>;

/** Filters as a list takes them: triples, an object of values, conditions with "and" and "or" between them. */
export type RowConditions = readonly unknown[] | Readonly<Record<string, unknown>>;

/** User code around a document's life. camelCase here, snake_case on the wire: `onSubmit` is `on_submit`. */
export interface Controller extends VirtualSource {
  beforeInsert?: Hook;
  /** May set `doc.name` of a new document that nobody named yet. */
  autoname?: Hook;
  beforeValidate?: Hook;
  validate?: Hook;
  beforeSave?: Hook;
  beforeSubmit?: Hook;
  beforeCancel?: Hook;
  beforeUpdateAfterSubmit?: Hook;
  afterInsert?: Hook;
  onUpdate?: Hook;
  onSubmit?: Hook;
  onCancel?: Hook;
  onUpdateAfterSubmit?: Hook;
  onTrash?: Hook;
  afterDelete?: Hook;
  onChange?: Hook;
  /** `doc` has the new name, `change.before` the old; may set another `doc.name`. Action `merge`: `doc` is the target. */
  beforeRename?: Hook;
  /** Every reference is moved already. */
  afterRename?: Hook;
  /**
   * Of the doctype File: an upload has become the document `file`, by `upload_file`, `attach_file` or a resumable upload;
   * throwing undoes it. Other ways to a File, such as attach fields and copies, have `afterInsert` alone.
   */
  afterFileUpload?: (file: Document, ctx: Context) => void | Promise<void>;
  /**
   * Values of fields with `is_virtual`, by fieldname, computed whenever one document is shown, never in lists. For a child
   * doctype the document is the row. Runs on reads too, where `ctx` has no transaction.
   */
  virtualFields?: Readonly<
    Record<string, (doc: Document | ChildRow, ctx: Context) => FieldValue | Promise<FieldValue>>
  >;
  /** By name: what clients may call as `run_method` of a document. Nothing else of a controller can be called. */
  documentMethods?: Readonly<Record<string, DocumentMethod>>;
  /** Narrows the right that roles give to one document; false refuses. Asked by every verb, after the roles allowed it. */
  hasPermission?: (ctx: Context, doc: Document, right: Right) => boolean | Promise<boolean>;
  /**
   * The documents this user may see and work on at all, as filters in any shape that lists take, on any field of the doctype;
   * null means every document. Lists compile it into their statement, and one document is held against it, too. Chancery's
   * own controllers give a condition on unqualified columns instead, and say the same in `hasPermission`.
   */
  rowFilter?: (ctx: Context) => RowConditions | Sql | null;
}

/** The members of a controller that `runHook` runs. */
export type HookName = Exclude<
  keyof Controller,
  | 'afterFileUpload'
  | 'hasPermission'
  | 'rowFilter'
  | 'virtualFields'
  | 'documentMethods'
  | keyof VirtualSource
>;

/** What each member of a controller is: a function, functions by name, or document methods by name. */
export const CONTROLLER_MEMBERS: Readonly<Record<keyof Controller, 'function' | 'functions' | 'methods'>> = {
  beforeInsert: 'function',
  autoname: 'function',
  beforeValidate: 'function',
  validate: 'function',
  beforeSave: 'function',
  beforeSubmit: 'function',
  beforeCancel: 'function',
  beforeUpdateAfterSubmit: 'function',
  afterInsert: 'function',
  onUpdate: 'function',
  onSubmit: 'function',
  onCancel: 'function',
  onUpdateAfterSubmit: 'function',
  onTrash: 'function',
  afterDelete: 'function',
  onChange: 'function',
  beforeRename: 'function',
  afterRename: 'function',
  afterFileUpload: 'function',
  virtualFields: 'functions',
  documentMethods: 'methods',
  hasPermission: 'function',
  rowFilter: 'function',
  list: 'function',
  read: 'function',
  create: 'function',
  update: 'function',
  delete: 'function',
};

/** Controllers by doctype name; `*` applies to every doctype, after the doctype's own. */
export type Controllers = ReadonlyMap<string, readonly Controller[]>;

/**
 * Runs one hook of every controller that applies, in order, awaiting each.
 * @throws whatever a hook throws, and ServiceError ValidationError when hooks save documents whose hooks save documents
 *   deeper than any design does: a loop
 */
export async function runHook(ctx: Context, change: Change, hook: HookName): Promise<void> {
  for (const controller of controllersOf(ctx, change.doctype)) {
    const run = controller[hook];
    if (run) await run(change.doc, deeper(ctx, change), change);
  }
}

function deeper(ctx: Context, change: Change): Context {
  const depth = ctx.depth + 1;
  if (depth <= LIMITS.hookDepth) return { ...ctx, depth };
  throw new ServiceError(
    'ValidationError',
    `Hooks call each other more than ${LIMITS.hookDepth} deep, at last those of ${change.doctype.name}`,
  );
}

/** Several hooks, one after another. */
export async function runHooks(ctx: Context, change: Change, hooks: readonly HookName[]): Promise<void> {
  for (const hook of hooks) await runHook(ctx, change, hook);
}

/** The controllers that apply to a doctype: its own, then those of every doctype. */
export function controllersOf(ctx: Context, doctype: DocType): readonly Controller[] {
  const { controllers } = ctx.site;
  const own = controllers.get(doctype.name) ?? NONE;
  const every = controllers.get('*') ?? NONE;
  if (every.length === 0) return own;
  return own.length === 0 ? every : [...own, ...every];
}

const NONE: readonly Controller[] = [];

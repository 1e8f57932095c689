import { createHash } from 'node:crypto';
import { audit } from '../../../access/audit.ts';
import { ident, sql } from '../../../db/sql.ts';
import {
  comparable,
  type DesignStep,
  diffDefinition,
  isProperty,
  rowsIn,
  type SetProperty,
} from '../../../doctype/diff-definition.ts';
import type { DocType } from '../../../doctype/doctype.ts';
import { type Customizations, mergeDefinition } from '../../../doctype/merge-definition.ts';
import { refusedProperty } from '../../../doctype/property-rules.ts';
import type { Context } from '../../../document/contract.ts';
import { createDocument } from '../../../document/verbs/create.ts';
import { deleteDocument } from '../../../document/verbs/delete.ts';
import { readDocument } from '../../../document/verbs/read.ts';
import { updateDocument } from '../../../document/verbs/update.ts';
import { unitOfWork } from '../../../document/write/unit-of-work.ts';
import { errorAbout, ServiceError } from '../../../kernel/errors.ts';
import type { Fields } from '../../../kernel/value.ts';
import { customizationsOf, loadCustomizations } from '../definitions/customizations.ts';
import { META } from '../definitions/defined-apps.ts';
import type { Metadata } from '../definitions/metadata.ts';
import { type Definition, loadStoredDefinitions } from '../definitions/stored-definitions.ts';
import { type DoctypePlan, planDoctype, removedTables } from '../migration/plan-doctype.ts';
import { checkWanted, requireName, requirePermissions } from './check-wanted.ts';
import { type DoctypeTurn, takeTurn } from './doctype-turn.ts';
import { shownFields } from './shown-fields.ts';
import { changeTableOf } from './take-effect.ts';

/** A doctype as its designer edits it. */
export interface Design {
  readonly name: string;
  /** '' for a doctype made at run time, `standard` for one of the server. */
  readonly app: string;
  /** The reason why nothing about it can be changed; '' when it can. */
  readonly fixed: string;
  /** The effective definition in the form of a file; custom fields are marked `is_custom_field`. */
  readonly definition: Definition;
  /** The properties that Property Setters set, with their values in the app's file. */
  readonly customized: readonly (SetProperty & { readonly original: unknown })[];
  /** Custom DocPerms replace the permissions of the file. */
  readonly has_custom_permissions: boolean;
  /** The properties of the doctype and of the file's fields that cannot be changed, with the reason. */
  readonly locked: { readonly doctype: Fields; readonly field: Fields };
  /** Changes with every change of the definition or of a customization. */
  readonly revision: string;
}

/** A wanted doctype. */
export interface WantedDesign {
  readonly doctype: string;
  /** Top-level properties that are absent stay; rows are complete. */
  readonly definition: Fields;
  /** New doctypes that this one needs, such as child tables. */
  readonly children: readonly Fields[];
  /** The revision that the definition was made from; '' for a new doctype; undefined for any. */
  readonly revision: string | undefined;
  /** The fields whose stored values may be lost. */
  readonly lose: readonly string[];
}

/** The effect of saving a design. */
export interface DesignPlan {
  readonly documents: readonly DesignStep[];
  readonly tables: readonly DoctypePlan[];
}

/** Reads, plans and saves designs of doctypes. */
export interface Designs {
  read(ctx: Context, doctypeName: string): Promise<Design>;
  /** Does everything that `save` does but for the tables, and takes it back. */
  plan(ctx: Context, wanted: WantedDesign): Promise<DesignPlan>;
  save(ctx: Context, wanted: WantedDesign): Promise<{ readonly documents: readonly DesignStep[] }>;
}

export function designsOf(metadata: Metadata): Designs {
  return {
    read: readDesign,
    plan: (ctx, wanted) => planDesign(ctx, metadata, wanted),
    async save(ctx, wanted) {
      const { turn, steps } = await write(ctx, metadata, wanted);
      const lose = new Set(wanted.lose);
      for (const [name, before] of turn.postponed ?? []) {
        const after = turn.get(name);
        const mayLose = (column: string) => name === wanted.doctype && lose.has(column);
        const lost = [...(await changeTableOf(ctx, before, after, mayLose))];
        if (name === wanted.doctype) lost.push(...(await deleteRows(ctx, before, after, lose)));
        if (lost.length === 0) continue;
        await audit(ctx, { event: 'doctype_changed', doctype: 'DocType', name, details: { lost } });
      }
      return { documents: steps };
    },
  };
}

async function readDesign(ctx: Context, doctypeName: string): Promise<Design> {
  const doctype = ctx.doctypes.get(doctypeName);
  // For its checks of rights.
  await readDocument(ctx, 'DocType', doctype.name);
  const { stored, added } = await load(ctx, doctype.name);
  const rows = new Map(rowsIn(stored, 'fields').map((row) => [String(row['fieldname']), row]));
  const customized = added.setters.map((setter) => {
    const fieldname = setter['doctype_or_field'] === 'DocType' ? null : String(setter['field_name']);
    const property = String(setter['property']);
    const original = (fieldname === null ? stored : rows.get(fieldname))?.[property] ?? null;
    return { fieldname, property, value: setter['value'] ?? null, original };
  });
  return {
    name: doctype.name,
    app: doctype.app,
    fixed: isFixed(doctype) ? `${doctype.name} belongs to Chancery itself and cannot be customized` : '',
    definition: asFile(mergeDefinition(stored, added)),
    customized,
    has_custom_permissions: added.permissions.length > 0,
    locked: { doctype: lockedOf(ctx, doctype, 'DocType'), field: lockedOf(ctx, doctype, 'DocField') },
    revision: revisionOf(stored, added),
  };
}

function isFixed({ name, app, is_virtual }: DocType): boolean {
  return META.includes(name) || (is_virtual && app === 'standard');
}

function lockedOf(ctx: Context, { app }: DocType, of: 'DocType' | 'DocField'): Fields {
  if (app === '') return {};
  const target = { of, isStandard: app === 'standard' };
  const properties = [...ctx.doctypes.get(of).fieldByName.keys()];
  return Object.fromEntries(
    properties.flatMap((property) => {
      const reason = refusedProperty(target, property, '1');
      return reason === null ? [] : [[property, reason]];
    }),
  );
}

interface Loaded {
  readonly stored: Definition;
  readonly added: Customizations;
}

async function load(ctx: Context, name: string): Promise<Loaded> {
  const [stored] = await loadStoredDefinitions(ctx.db, ctx.doctypes, { only: [name] });
  if (!stored) throw new ServiceError('DoesNotExistError', `DocType ${name} not found`);
  const found = await loadCustomizations(ctx.db, ctx.doctypes, { only: [name] });
  return { stored, added: customizationsOf(found, name) };
}

function revisionOf(stored: Definition, added: Customizations): string {
  return createHash('sha256')
    .update(JSON.stringify([stored, added]))
    .digest('hex')
    .slice(0, 16);
}

/** Properties whose absence from a file does not mean 0. */
const ONE_BY_DEFAULT: ReadonlySet<string> = new Set(['allow_rename', 'editable_grid']);

/** A stored definition without the columns of its rows and without unset properties. */
function asFile(definition: Definition): Definition {
  const { name } = definition;
  const own = Object.entries(definition).filter(
    ([key, value]) => !Array.isArray(value) && (isSet(key, value) || ONE_BY_DEFAULT.has(key)),
  );
  const lists = Object.entries(definition).flatMap(([key, value]) =>
    Array.isArray(value) && value.length > 0 ? [[key, value.map(asFileRow)] as const] : [],
  );
  return { doctype: 'DocType', name, ...Object.fromEntries(own), ...Object.fromEntries(lists) };
}

function asFileRow(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row;
  return Object.fromEntries(
    Object.entries(row).filter(([key, value]) => key === 'is_custom_field' || isSet(key, value)),
  );
}

function isSet(key: string, value: unknown): boolean {
  return isProperty(key) && comparable(value) !== '';
}

async function write(
  ctx: Context,
  metadata: Metadata,
  { doctype: name, definition, children, revision }: WantedDesign,
): Promise<{ readonly turn: DoctypeTurn; readonly steps: readonly DesignStep[] }> {
  for (const one of [definition, ...children]) checkWanted(ctx, one);
  const fresh = children.map((child): DesignStep => creation(requireName(child), child));
  const turn = await takeTurn(ctx, metadata);
  turn.postponed = new Map();
  for (const step of fresh) await perform(ctx, step);
  const existing = turn.find(name);
  if (existing && revision === '') {
    throw new ServiceError('DuplicateEntryError', `DocType ${name} exists already`);
  }
  if (!existing && revision) {
    throw new ServiceError('TimestampMismatchError', `DocType ${name} has been deleted since you opened it`);
  }
  const steps = existing ? await stepsFor(ctx, existing, definition, revision) : [creation(name, definition)];
  for (const step of steps) await perform(ctx, step);
  return { turn, steps: [...fresh, ...steps] };
}

function creation(name: string, definition: Fields): DesignStep {
  return { action: 'create', doctype: 'DocType', name, fields: definition };
}

async function stepsFor(
  ctx: Context,
  existing: DocType,
  definition: Fields,
  revision: string | undefined,
): Promise<readonly DesignStep[]> {
  const { stored, added } = await load(ctx, existing.name);
  if (revision !== undefined && revision !== revisionOf(stored, added)) {
    const reason = `DocType ${existing.name} has been changed since you opened it`;
    throw new ServiceError('TimestampMismatchError', reason);
  }
  requirePermissions(existing, definition);
  const typeOf = (of: 'DocType' | 'DocField', property: string) =>
    ctx.doctypes.get(of).fieldByName.get(property)?.fieldtype ?? 'Data';
  const isShipped = existing.app !== '';
  const { steps, set, missing } = diffDefinition({ stored, added, isShipped, typeOf }, definition);
  refuse(existing, set, missing);
  return steps;
}

// All at once, and at their fields.
function refuse({ name, app }: DocType, set: readonly SetProperty[], missing: readonly string[]): void {
  const isStandard = app === 'standard';
  const problems = [
    ...missing.map((fieldname) => ({
      fieldname,
      message: `Field ${fieldname} is part of ${name} as ${isStandard ? 'Chancery' : `the app ${app}`} defines it, and cannot be removed: hide it instead`,
    })),
    ...(app === '' ? [] : set).flatMap(({ fieldname, property, value }) => {
      const of = fieldname === null ? 'DocType' : 'DocField';
      const message = refusedProperty({ of, isStandard }, property, comparable(value) || '0');
      const about = fieldname === null ? '' : `Field ${fieldname}: `;
      return message === null ? [] : [{ fieldname, message: `${about}${message}` }];
    }),
  ];
  const [first] = problems;
  if (!first) return;
  throw new ServiceError('ValidationError', first.message, {
    messages: problems.map(({ message }) => message),
    places: problems.map(({ fieldname }) => (fieldname === null ? null : { fieldname })),
  });
}

async function perform(ctx: Context, { action, doctype, name, fields }: DesignStep): Promise<void> {
  try {
    if (action === 'create') await createDocument(ctx, doctype, name === null ? fields : { ...fields, name });
    else if (action === 'update') await updateDocument(ctx, doctype, name ?? '', fields);
    else await deleteDocument(ctx, doctype, name ?? '');
  } catch (error) {
    const about = doctype === 'Custom Field' ? String(fields['fieldname'] ?? name) : null;
    if (!(error instanceof ServiceError) || about === null) throw error;
    throw errorAbout(error, `Field ${about}`, about);
  }
}

async function deleteRows(
  ctx: Context,
  before: DocType | undefined,
  after: DocType,
  lose: ReadonlySet<string>,
): Promise<readonly string[]> {
  const tables = removedTables(before, after).filter(({ fieldname }) => lose.has(fieldname));
  for (const { fieldname, options } of tables) {
    await ctx.db.run(
      sql`delete from ${ident(options)} where "parenttype" = ${after.name} and "parentfield" = ${fieldname}`,
    );
  }
  return tables.map(({ fieldname }) => fieldname);
}

/** Ends the unit of work of a plan, which is rolled back. */
class Planned extends Error {
  readonly documents: readonly DesignStep[];
  readonly changed: readonly (readonly [DocType | undefined, DocType])[];
  constructor(documents: Planned['documents'], changed: Planned['changed']) {
    super('planned');
    this.documents = documents;
    this.changed = changed;
  }
}

async function planDesign(ctx: Context, metadata: Metadata, wanted: WantedDesign): Promise<DesignPlan> {
  const planned = await unitOfWork(
    ctx.site,
    ctx.user,
    async (unit): Promise<never> => {
      const { turn, steps } = await write(unit, metadata, wanted);
      const changed = [...(turn.postponed ?? [])].map(([name, before]) => [before, turn.get(name)] as const);
      throw new Planned(steps, changed);
    },
    ctx.origin,
  ).catch((error: unknown) => {
    if (error instanceof Planned) return error;
    throw error;
  });
  const tables: DoctypePlan[] = [];
  for (const [before, after] of planned.changed) {
    tables.push(await planDoctype(ctx.site.database.reader, before, after, shownFields(ctx, before)));
  }
  return { documents: planned.documents, tables };
}

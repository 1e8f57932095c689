import { ident, sql } from '../../../db/sql.ts';
import { Definition, Problems } from '../../../doctype/definition.ts';
import type { DocType, Document } from '../../../doctype/doctype.ts';
import { parseField } from '../../../doctype/parse-field.ts';
import { refusedProperty } from '../../../doctype/property-rules.ts';
import type { Change } from '../../../document/change.ts';
import type { Context, Controller } from '../../../document/contract.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { LIMITS } from '../../../kernel/limits.ts';
import { keepJsonDefaults } from '../../json-defaults.ts';
import { checkKnownKeys } from '../definitions/definition-keys.ts';
import { keepOtherProperties } from '../definitions/keep-other-properties.ts';
import type { Metadata } from '../definitions/metadata.ts';
import { isCustomizable } from '../definitions/permission-rows.ts';
import { loadStoredDefinitions } from '../definitions/stored-definitions.ts';
import { type DoctypeTurn, takeTurn } from './doctype-turn.ts';
import { takeEffect } from './take-effect.ts';

/** Applies Custom Field documents to the doctype they name, in their own transaction. */
export function customFieldController(metadata: Metadata): Controller {
  const turns = new WeakMap<Document, DoctypeTurn>();
  const effect = effects(metadata, turns, 'dt');
  return {
    beforeInsert(doc) {
      const problems = new Problems();
      const field = parseField(new Definition(doc, problems, 'Custom Field'), 1);
      if (!field) throw new ServiceError('ValidationError', problems.messages[0] ?? 'A field needs a name');
      doc['fieldname'] = field.fieldname;
      if (typeof doc['dt'] === 'string' && doc['dt'] !== '') doc.name = `${doc['dt']}-${field.fieldname}`;
    },

    async beforeValidate(doc, ctx, change) {
      checkKnownKeys(change.input, ctx.doctypes, 'Custom Field');
      if (typeof doc['dt'] !== 'string' || doc['dt'] === '') return;
      const turn = await takeTurn(ctx, metadata);
      turns.set(doc, turn);
      keepOtherProperties(ctx.doctypes, change);
      keepJsonDefaults(change);
      const target = customizable(turn, doc['dt']);
      if (change.before) return;
      await requireFreeFieldname(ctx, target, String(doc['fieldname']));
      await requireRoom(ctx, 'Custom Field', 'dt', target.name);
    },

    ...effect,

    // The column remains with its values: a later field of this name finds them again.
    async afterDelete(doc, ctx, change) {
      if (!turns.get(doc)?.find(String(doc['dt']))) return;
      await ctx.db.run(
        sql`delete from "Property Setter" where "doc_type" = ${String(doc['dt'])} and "doctype_or_field" = 'DocField'
            and "field_name" = ${String(doc['fieldname'])}`,
      );
      await effect.afterDelete(doc, ctx, change);
    },
  };
}

/** The same for Property Setter documents. */
export function propertySetterController(metadata: Metadata): Controller {
  const turns = new WeakMap<Document, DoctypeTurn>();
  return {
    beforeInsert(doc) {
      const { doc_type: doctypeName, property } = doc;
      if (!doctypeName || !property) return;
      const of = doc['doctype_or_field'] === 'DocType' ? 'main' : doc['field_name'];
      if (!of) throw new ServiceError('ValidationError', 'Field Name is required for a property of a field');
      if (doc['doctype_or_field'] === 'DocType') doc['field_name'] = null;
      doc.name = `${doctypeName}-${of}-${property}`;
    },

    async beforeValidate(doc, ctx, change) {
      checkKnownKeys(change.input, ctx.doctypes, 'Property Setter');
      if (typeof doc['doc_type'] !== 'string' || doc['doc_type'] === '') return;
      const turn = await takeTurn(ctx, metadata);
      turns.set(doc, turn);
      const target = customizable(turn, doc['doc_type']);
      if (doc['property'] === 'default') keepJsonSetting(change, target);
      checkSetter(doc, target, change, ctx);
      if (!change.before) await requireRoom(ctx, 'Property Setter', 'doc_type', target.name);
    },

    ...effects(metadata, turns, 'doc_type'),
  };
}

/** The same for Custom DocPerm documents; their rows follow the rules of definitions. */
export function customDocPermController(metadata: Metadata): Controller {
  const turns = new WeakMap<Document, DoctypeTurn>();
  return {
    async beforeValidate(doc, ctx, change) {
      checkKnownKeys(change.input, ctx.doctypes, 'Custom DocPerm');
      if (typeof doc['parent'] !== 'string' || doc['parent'] === '') return;
      const turn = await takeTurn(ctx, metadata);
      turns.set(doc, turn);
      const target = customizable(turn, doc['parent']);
      if (target.istable) {
        throw new ServiceError(
          'ValidationError',
          `Rows of ${target.name} have the permissions of their parent`,
        );
      }
      if (!change.before) await requireRoom(ctx, 'Custom DocPerm', 'parent', target.name);
    },

    ...effects(metadata, turns, 'parent'),
  };
}

/** Puts the doctype into effect that the customisation names in its field `of`. */
function effects(
  metadata: Metadata,
  turns: WeakMap<Document, DoctypeTurn>,
  of: 'dt' | 'doc_type' | 'parent',
): Required<Pick<Controller, 'onUpdate' | 'onTrash' | 'afterDelete'>> {
  return {
    async onUpdate(doc, ctx) {
      const turn = turns.get(doc);
      if (turn) await takeEffect(ctx, metadata, turn, String(doc[of]));
    },

    async onTrash(doc, ctx) {
      turns.set(doc, await takeTurn(ctx, metadata));
    },

    async afterDelete(doc, ctx) {
      const turn = turns.get(doc);
      if (turn?.find(String(doc[of]))) await takeEffect(ctx, metadata, turn, String(doc[of]));
    },
  };
}

function customizable(turn: DoctypeTurn, doctypeName: string): DocType {
  const doctype = turn.get(doctypeName);
  if (!isCustomizable(doctype)) {
    throw new ServiceError('ValidationError', `${doctype.name} cannot be customized`);
  }
  return doctype;
}

// Checks fields of the definition itself too, even those that a property setter or an app hides.
async function requireFreeFieldname(ctx: Context, target: DocType, fieldname: string): Promise<void> {
  const [stored] = await loadStoredDefinitions(ctx.db, ctx.doctypes, { only: [target.name] });
  const own = Array.isArray(stored?.['fields']) ? stored['fields'] : [];
  const names = [...target.fields, ...own].map((field) => String(field.fieldname));
  const taken = names.find((name) => name.toLowerCase() === fieldname.toLowerCase());
  if (taken === undefined) return;
  throw new ServiceError('DuplicateEntryError', `${target.name} has a field ${taken} already`);
}

async function requireRoom(
  ctx: Context,
  kind: 'Custom Field' | 'Property Setter' | 'Custom DocPerm',
  of: 'dt' | 'doc_type' | 'parent',
  doctypeName: string,
): Promise<void> {
  const row = await ctx.db.get(
    sql`select count(*) as "count" from ${ident(kind)} where ${ident(of)} = ${doctypeName}`,
  );
  if (Number(row?.['count']) < LIMITS.customizations) return;
  throw new ServiceError(
    'ValidationError',
    `${doctypeName} has ${LIMITS.customizations} ${kind} documents: no more`,
  );
}

/** Keeps `true` and `false`, as `keepJsonDefaults` does. */
function keepJsonSetting({ doc, input }: Change, target: DocType): void {
  const field = target.fieldByName.get(String(doc['field_name']));
  if (field?.fieldtype === 'JSON' && typeof input['value'] === 'boolean')
    doc['value'] = String(input['value']);
}

function checkSetter(doc: Document, target: DocType, { input }: Change, ctx: Context): void {
  const of = doc['doctype_or_field'] === 'DocType' ? 'DocType' : 'DocField';
  if (of === 'DocField' && !target.fieldByName.has(String(doc['field_name']))) {
    throw new ServiceError('ValidationError', `${target.name} has no field ${doc['field_name']}`);
  }
  if (Object.hasOwn(input, 'property')) checkKnownKeys({ [String(doc['property'])]: true }, ctx.doctypes, of);
  const isStandard = target.app === 'standard';
  const refused = refusedProperty({ of, isStandard }, String(doc['property']), String(doc['value'] ?? ''));
  if (refused !== null) throw new ServiceError('ValidationError', refused);
}

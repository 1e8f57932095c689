import { LIMITS } from '../kernel/limits.ts';
import { type DeclaredArgument, OPTIONAL_TEXT, orNone, RECORD, records, TEXT, texts } from './arguments.ts';
import { defineOperation, type Operation } from './operation.ts';
import { object } from './result.ts';

const NAMES = { type: 'array', items: { type: 'string' } };
const NOTE = object({ doctype: { type: 'string' }, message: { type: 'string' } });

const TEXT_RESULT = { type: 'string' };
const COUNT = { type: 'integer' };
const FLAG_RESULT = { type: 'boolean' };
const ANY_OBJECT = { type: 'object' };

/** '' for a new doctype. */
const REVISION: DeclaredArgument<string | undefined> = {
  ...OPTIONAL_TEXT,
  parse: (given, name) => (given[name] === '' ? '' : OPTIONAL_TEXT.parse(given, name)),
};

const WANTED = {
  doctype: TEXT,
  definition: RECORD,
  children: orNone(records(LIMITS.designChildren)),
  revision: REVISION,
  lose: orNone(texts(LIMITS.fieldsPerDoctype)),
};

const STEPS = {
  type: 'array',
  items: object({
    action: { type: 'string', enum: ['create', 'update', 'delete'] },
    doctype: TEXT_RESULT,
    name: { type: ['string', 'null'] },
    fields: ANY_OBJECT,
  }),
};

const LOSS = object({
  fieldname: TEXT_RESULT,
  loss: { type: 'string', enum: ['removed', 'converted'] },
  values: COUNT,
  examples: NAMES,
  required: FLAG_RESULT,
});

const TABLE_PLAN = object({
  doctype: TEXT_RESULT,
  rows: COUNT,
  changes: { type: 'array', items: ANY_OBJECT },
  losses: { type: 'array', items: LOSS },
  incomplete: { type: 'array', items: object({ fieldname: TEXT_RESULT, documents: COUNT }) },
  seconds: COUNT,
});

/** Definitions of doctypes: many at a time, or one as a designer changes it. */
export const doctypeOperations: readonly Operation[] = [
  defineOperation({
    name: 'chancery.load_doctypes',
    summary: 'Create or update doctypes, all or none; oddities of their definitions become notes',
    effect: 'write',
    roles: ['System Manager'],
    http: ['POST'],
    events: ['after_insert', 'on_update', 'on_change'],
    args: { doctypes: records(LIMITS.doctypesAtOnce) },
    result: object({ created: NAMES, updated: NAMES, notes: { type: 'array', items: NOTE } }),
    run: (ctx, { doctypes }, call) => {
      call.spend(doctypes.length - 1);
      return call.site.loadDoctypes(ctx, doctypes);
    },
  }),

  defineOperation({
    name: 'chancery.read_design',
    summary: 'A doctype for its designer: the effective definition, its customizations, and what is locked',
    effect: 'read',
    roles: ['System Manager'],
    args: { doctype: TEXT },
    result: object({
      name: TEXT_RESULT,
      app: TEXT_RESULT,
      fixed: TEXT_RESULT,
      definition: ANY_OBJECT,
      customized: { type: 'array', items: ANY_OBJECT },
      has_custom_permissions: FLAG_RESULT,
      locked: object({ doctype: ANY_OBJECT, field: ANY_OBJECT }),
      revision: TEXT_RESULT,
    }),
    run: (ctx, { doctype }, call) => call.site.designs.read(ctx, doctype),
  }),

  defineOperation({
    name: 'chancery.plan_design',
    summary: 'The documents, tables and stored values that saving a doctype would change, without any change',
    effect: 'write',
    transaction: 'own',
    roles: ['System Manager'],
    http: ['POST'],
    args: WANTED,
    result: object({ documents: STEPS, tables: { type: 'array', items: TABLE_PLAN } }),
    run: (ctx, wanted, call) => call.site.designs.plan(ctx, wanted),
  }),

  defineOperation({
    name: 'chancery.save_design',
    summary:
      'Make a doctype as wanted in one transaction: its DocType, or its customizations if an app ships it',
    effect: 'write',
    roles: ['System Manager'],
    http: ['POST'],
    events: ['after_insert', 'on_update', 'on_change', 'on_trash'],
    args: WANTED,
    result: object({ documents: STEPS }),
    run: (ctx, wanted, call) => call.site.designs.save(ctx, wanted),
  }),
];

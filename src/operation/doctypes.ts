import { LIMITS } from '../kernel/limits.ts';
import { records } from './arguments.ts';
import { defineOperation, type Operation } from './operation.ts';
import { object } from './result.ts';

const NAMES = { type: 'array', items: { type: 'string' } };
const NOTE = object({ doctype: { type: 'string' }, message: { type: 'string' } });

/** Definitions of doctypes, many at a time. */
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
];

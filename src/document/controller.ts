import type { DocType } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { memo2 } from '../kernel/memo.ts';
import type { Change } from './change.ts';
import type { Context, Controller, VirtualSource } from './contract.ts';

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

/** The kind of each controller member: a function, functions by name, or document methods by name. */
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

/**
 * Runs one hook of every controller that applies, in order, awaiting each.
 * @throws the errors of the hook, and ServiceError ValidationError when hooks that save documents nest too
 * deep: a loop
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
    `Hooks call each other more than ${LIMITS.hookDepth} levels deep; the last are those of ${change.doctype.name}`,
  );
}

/** A controller without its hooks: permissions, virtual values and methods stay. */
export function withoutHooks(controller: Controller): Controller {
  const hooks: ReadonlySet<string> = new Set(HOOKS);
  return Object.fromEntries(Object.entries(controller).filter(([name]) => !hooks.has(name)));
}

/** Several hooks, one after another. */
export async function runHooks(ctx: Context, change: Change, hooks: readonly HookName[]): Promise<void> {
  const controllers = controllersOf(ctx, change.doctype);
  for (const hook of hooks) {
    if (controllers.some((controller) => controller[hook])) await runHook(ctx, change, hook);
  }
}

/** The controllers that apply to a doctype: its own, then those of every doctype. */
export function controllersOf(ctx: Context, doctype: DocType): readonly Controller[] {
  const { controllers } = ctx.site;
  return together(controllers.get(doctype.name) ?? NONE, controllers.get('*') ?? NONE);
}

const NONE: readonly Controller[] = [];

const together = memo2((own: readonly Controller[], every: readonly Controller[]): readonly Controller[] => [
  ...own,
  ...every,
]);

/** Whether a hook may set fields of a document before its rows are written. */
export function hasEarlyHooks(ctx: Context, doctype: DocType): boolean {
  return controllersOf(ctx, doctype).some((controller) => EARLY.some((hook) => controller[hook]));
}

const HOOKS: readonly HookName[] = [
  ...(['beforeInsert', 'autoname', 'beforeValidate', 'validate', 'beforeSave', 'beforeSubmit'] as const),
  ...([
    'beforeCancel',
    'beforeUpdateAfterSubmit',
    'afterInsert',
    'onUpdate',
    'onSubmit',
    'onCancel',
  ] as const),
  ...(['onUpdateAfterSubmit', 'onTrash', 'afterDelete', 'onChange', 'beforeRename', 'afterRename'] as const),
];

const EARLY = [
  'beforeInsert',
  'beforeValidate',
  'validate',
  'beforeSave',
  'beforeSubmit',
  'beforeCancel',
  'beforeUpdateAfterSubmit',
] as const satisfies readonly HookName[];

import type { Document } from '../doctype/doctype.ts';
import type { Change } from './change.ts';
import type { Context } from './context.ts';

/** A hook: may change `doc` (before the rows are written), read and write through `ctx`, or throw to refuse. */
export type Hook = (doc: Document, ctx: Context, change: Change) => void | Promise<void>;

/** User code around a document's life. camelCase here, snake_case on the wire: `onSubmit` is `on_submit`. */
export interface Controller {
  beforeInsert?: Hook;
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
}

/** Controllers by doctype name; `*` applies to every doctype, after the doctype's own. */
export type Controllers = ReadonlyMap<string, readonly Controller[]>;

/** Runs one hook of every controller that applies, in order, awaiting each. */
export async function runHook(ctx: Context, change: Change, hook: keyof Controller): Promise<void> {
  for (const name of [change.doctype.name, '*']) {
    const controllers = ctx.site.controllers.get(name);
    if (!controllers) continue;
    for (const controller of controllers) {
      const run = controller[hook];
      if (run) await run(change.doc, ctx, change);
    }
  }
}

import type { Context } from '../../document/contract.ts';
import type { DocEventName } from '../../document/doc-event.ts';
import type { Write } from './write-documents.ts';

/** Tells the commit listeners of stored documents, as the verbs do. Rows of child tables have no events. */
export function announceWrites(ctx: Context, writes: readonly Write[]): void {
  for (const { change } of writes) {
    const { doctype, doc, before, revision, secrets = [] } = change;
    if (doctype.istable) continue;
    const names: DocEventName[] = before ? ['on_update', 'on_change'] : ['after_insert', 'on_change'];
    for (const name of names)
      ctx.events.push({ name, doctype, doc, before, secrets, revision: revision + 1 });
  }
}

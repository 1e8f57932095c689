import { requirePermission } from '../../access/permission.ts';
import type { Document } from '../../doctype/doctype.ts';
import type { Change } from '../../document/change.ts';
import { placeChildren } from '../../document/children.ts';
import type { Context } from '../../document/contract.ts';
import { cloneDocument, newDocument, textOf } from '../../document/document.ts';
import { applyDefaults } from '../../document/load/defaults.ts';
import { applyFields, orderRows } from '../../document/write/input.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/value.ts';
import { addressProblems, tidyWebhook, webhookProblems } from '../config/webhook-problems.ts';
import { reachProblems } from '../config/webhook-reach.ts';
import { changeableWebhook } from './sample.ts';

/** A webhook that is not saved yet. */
export interface Draft {
  readonly webhook: Document;
  /**
   * The reasons for which a save would fail, as far as they show without its secrets; empty when it would
   * succeed.
   */
  readonly problems: readonly string[];
}

/**
 * A stored webhook with changes applied, or a new one made of the changes. Stores nothing. Needs the right to
 * save it.
 * @throws ServiceError PermissionError, DoesNotExistError; ValidationError for changes that are not an object
 */
export async function draftOf(ctx: Context, name: string | null, changes: unknown): Promise<Draft> {
  if (!isRecord(changes)) throw new ServiceError('ValidationError', 'changes must be an object of fields');
  const doctype = ctx.doctypes.get('Webhook');
  const before = name === null ? null : await changeableWebhook(ctx, name);
  if (before === null) requirePermission(ctx.user, doctype, 'create');
  const doc = before === null ? newDocument(doctype) : cloneDocument(before);
  if (before === null) applyDefaults(ctx, doctype, doc);
  const action = before === null ? 'create' : 'update';
  const change: Change = {
    action,
    doctype,
    before,
    doc,
    revision: 0,
    input: orderRows(doctype, changes),
    problems: [],
  };
  applyFields(ctx, change);
  placeChildren(ctx, change);
  tidyWebhook(doc);
  const missing = MANDATORY.filter(([fieldname]) => textOf(doc, fieldname).trim() === '').map(
    ([, label]) => `${label} is required`,
  );
  const wrong = change.problems.map(({ error }) => error.message);
  const problems = [
    ...missing,
    ...wrong,
    ...unknownDoctype(ctx, doc),
    ...webhookProblems(doc, ctx.doctypes),
    ...addressProblems(doc, before, ctx.site.config.webhooks.allow),
  ];
  return { webhook: doc, problems: problems.length > 0 ? problems : reachProblems(ctx, doc) };
}

const MANDATORY = [
  ['webhook_doctype', 'DocType'],
  ['webhook_docevent', 'Doc Event'],
  ['request_url', 'Request URL'],
] as const;

function unknownDoctype(ctx: Context, doc: Document): string[] {
  const name = textOf(doc, 'webhook_doctype');
  return name === '' || ctx.doctypes.find(name) ? [] : [`There is no DocType ${name}`];
}

import type { DocType, Document } from '../../doctype/doctype.ts';
import type { Fields } from '../../kernel/value.ts';
import type { Change } from '../change.ts';
import { checkAmendment } from '../check/amendment.ts';
import { initialDocstatus } from '../check/docstatus.ts';
import { checkLinks } from '../check/links.ts';
import { checkMandatory } from '../check/mandatory.ts';
import { checkValues } from '../check/values.ts';
import { placeChildren } from '../children.ts';
import type { Context } from '../contract.ts';
import { runHooks } from '../controller.ts';
import { newDocument } from '../document.ts';
import { applyDefaults } from '../load/defaults.ts';
import { permittedDoctype, requireRight, visibleTo } from '../load/permit.ts';
import { assignName } from '../naming/naming.ts';
import { stampCreation } from '../stamp.ts';
import { announce, foresee } from '../write/announce.ts';
import { fetchFields } from '../write/fetch.ts';
import { applyFields, orderRows } from '../write/input.ts';
import { insertRows } from '../write/rows.ts';
import { updateDocument } from './update.ts';

/**
 * Creates a document from the fields sent; `docstatus` 1 submits it at once. Resolves to the document as this
 * user would read it.
 * @throws ServiceError PermissionError, LinkValidationError, MandatoryError, ValidationError and its kin,
 * NameError, DuplicateEntryError, UniqueValidationError — the first that applies, in about this order
 */
export async function createDocument(ctx: Context, doctypeName: string, fields: Fields): Promise<Document> {
  // Before any lookup: a link check would show an outsider which documents exist.
  const doctype = permittedDoctype(ctx, doctypeName, 'create');
  // The only document of a single always exists, with its defaults.
  if (doctype.issingle) return updateDocument(ctx, doctypeName, doctype.name, fields);
  const doc = newDocument(doctype);
  applyDefaults(ctx, doctype, doc);
  return finishCreation(ctx, newChange(doctype, doc, fields));
}

/**
 * The second part of a creation, with a document that holds its defaults, or the values of the one it copies.
 */
export async function finishCreation(ctx: Context, change: Change): Promise<Document> {
  const { doctype, doc, input } = change;
  applyFields(ctx, change);
  stampCreation(ctx, doc);
  doc.docstatus = initialDocstatus(doctype, input);
  const submits = doc.docstatus === 1;
  if (submits) await requireRight(ctx, doctype, 'submit', doc);
  await checkLinks(ctx, change);
  await fetchFields(ctx, change);
  await requireRight(ctx, doctype, 'create', doc);

  await runHooks(ctx, change, ['beforeInsert']);
  foresee(ctx, doctype);
  const naming = await assignName(ctx, change, await checkAmendment(ctx, change));
  placeChildren(ctx, change);
  await runHooks(ctx, change, ['beforeValidate', 'validate', submits ? 'beforeSubmit' : 'beforeSave']);
  placeChildren(ctx, change);

  checkMandatory(ctx, change);
  checkValues(ctx, change);
  await insertRows(ctx, change, naming);
  await announce(ctx, change, [
    { event: 'after_insert', hook: 'afterInsert' },
    { hook: 'onUpdate' },
    ...(submits ? [{ event: 'on_submit', hook: 'onSubmit' } as const] : []),
    { event: 'on_change', hook: 'onChange' },
  ]);
  return visibleTo(ctx, doctype, doc);
}

/** A creation before its first step. */
export function newChange(doctype: DocType, doc: Document, input: Fields, isCopy = false): Change {
  return {
    action: 'create',
    doctype,
    before: null,
    doc,
    revision: 0,
    input: orderRows(doctype, input),
    isCopy,
    problems: [],
  };
}

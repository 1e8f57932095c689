import { t } from '../../base/i18n.ts';
import type { BootDoctype, RightName } from '../../data/boot.ts';
import type { OpenApi } from './openapi.ts';
import { type ApiOperation, exampleOf, operationsOf } from './operations.ts';

/** A call of the reference of a doctype; without an operation, the user lacks the right. */
export interface DoctypeCall {
  readonly id: string;
  readonly label: string;
  readonly right: RightName;
  readonly operation: ApiOperation | null;
}

/** The calls of a doctype: the operations of the OpenAPI document, and common uses of them. */
export function callsOf(doc: OpenApi, doctype: BootDoctype): readonly DoctypeCall[] {
  const found = operationsOf(doc, doctype.name);
  const one = (verb: string, isWhole: boolean) =>
    found.find((operation) => operation.verb === verb && operation.path.endsWith('}') === isWhole) ?? null;
  const update = one('PUT', true);
  const state = (docstatus: number): ApiOperation | null => update && { ...update, example: { docstatus } };
  const call = (
    id: string,
    label: string,
    right: RightName,
    operation: ApiOperation | null,
  ): DoctypeCall => ({
    id,
    label,
    right,
    operation: doctype.rights.has(right) ? operation : null,
  });
  return [
    ...(doctype.issingle ? [] : [call('list', t('List'), 'read', one('GET', false))]),
    call('read', t('Read'), 'read', one('GET', true)),
    ...(doctype.issingle ? [] : [call('create', t('Create'), 'create', one('POST', false))]),
    call('update', t('Update'), 'write', update),
    ...(doctype.is_submittable
      ? [call('submit', t('Submit'), 'submit', state(1)), call('cancel', t('Cancel'), 'cancel', state(2))]
      : []),
    ...(doctype.issingle ? [] : [call('delete', t('Delete'), 'delete', one('DELETE', true))]),
    call('attach', t('Attach a file'), 'write', update && attaching(doctype.name)),
    call('run', t('Run a method'), 'read', one('POST', true)),
  ];
}

/** A file in a JSON body: needs no form and no further library. */
function attaching(doctype: string): ApiOperation {
  return {
    summary: '',
    description: t('A file as text. Large files are uploaded with upload_file or in parts.'),
    verb: 'POST',
    path: '/api/method/frappe.client.attach_file',
    parameters: [],
    body: { type: 'object' },
    example: {
      filename: 'note.txt',
      filedata: 'Hello',
      doctype,
      docname: `<name of a ${doctype}>`,
      is_private: 1,
    },
  };
}

/** The body that the form starts with. */
export function firstBody(doc: OpenApi, { example, body }: ApiOperation): string {
  const value = example ?? exampleOf(doc, body);
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

/** Calls that are common uses of others. */
const DERIVED: ReadonlySet<string> = new Set(['attach', 'run']);

/** The calls that the user may make, in words. */
export function allowedText(calls: readonly DoctypeCall[]): string {
  const allowed = calls.filter(({ id, operation }) => operation && !DERIVED.has(id));
  return allowed.length === 0 ? t('No right') : allowed.map(({ label }) => label).join(', ');
}

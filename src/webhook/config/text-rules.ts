import type { DocType, DoctypeRegistry, Document } from '../../doctype/doctype.ts';
import { textOf } from '../../document/document.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { parseCondition } from '../render/compile-webhook.ts';
import { renderTemplate } from '../render/render-template.ts';
import { parseTemplate, type Template } from '../render/template.ts';
import { parseFieldnames } from '../render/webhook-spec.ts';
import { urlProblem } from '../send/url-rules.ts';

/** The prefix of problems of `request_url`. */
export const URL_PROBLEM = 'Check Request URL';

/**
 * Checks the texts of a webhook that have a syntax of their own: condition, watched fields, templates,
 * address.
 */
export function textProblems(webhook: Document, doctype: DocType, doctypes: DoctypeRegistry): string[] {
  return [
    ...conditionProblems(textOf(webhook, 'condition').trim(), doctype),
    ...watchedProblems(webhook, doctype),
    ...jsonProblems(webhook, doctype, doctypes),
    ...urlProblems(webhook, doctype, doctypes),
  ];
}

/** True when a webhook may send this field or refer to it. Fields with secret values are never allowed. */
export function isSentField(doctype: DocType, fieldname: string): boolean {
  const field = doctype.fieldByName.get(fieldname);
  if (field?.fieldtype === 'Password') return false;
  if (fieldname === 'doctype' || doctype.columnByName.has(fieldname)) return true;
  return doctype.tables.some((table) => table.fieldname === fieldname);
}

function conditionProblems(source: string, doctype: DocType): string[] {
  if (source === '') return [];
  return explained('Invalid Condition', () => {
    const { fields, usesParent } = parseCondition(source);
    if (usesParent) return ['only a row has a parent'];
    return unknownFields(fields, doctype);
  });
}

/** Events with a document both before and after the change: only these have something to compare. */
const COMPARING: ReadonlySet<string> = new Set([
  'on_update',
  'on_submit',
  'on_cancel',
  'on_update_after_submit',
  'on_change',
  'after_rename',
]);

function watchedProblems(webhook: Document, doctype: DocType): string[] {
  const watched = parseFieldnames(textOf(webhook, 'only_if_changed'));
  const event = textOf(webhook, 'webhook_docevent');
  if (watched.length === 0) return [];
  if (!COMPARING.has(event)) return [`Only If Changed: at ${event} there is nothing to compare with`];
  if (watched.length > LIMITS.webhookWatchedFields) {
    return [`Only If Changed: at most ${LIMITS.webhookWatchedFields} fields are allowed`];
  }
  const isKnown = (fieldname: string) => {
    return doctype.fieldByName.has(fieldname) || doctype.columnByName.has(fieldname);
  };
  const unknown = watched.find((fieldname) => !isKnown(fieldname));
  return unknown === undefined ? [] : [`Only If Changed: there is no field ${unknown.slice(0, 100)}`];
}

function jsonProblems(webhook: Document, doctype: DocType, doctypes: DoctypeRegistry): string[] {
  const source = textOf(webhook, 'webhook_json').trim();
  if (source === '') return [];
  if (Number(webhook['include_previous']) === 1) {
    return ['Include Previous: a JSON Body must name previous values itself, as previous.fieldname'];
  }
  return explained('Invalid JSON Body', () => {
    const template = parseTemplate(source);
    return [...unknownInTemplate(template, doctype, doctypes), ...shapeProblems(template)];
  });
}

// When documents differ in values only, one rendering checks the shape for all of them.
function shapeProblems(template: Template): string[] {
  if (!template.isFixed) return [];
  const text = renderTemplate(template, 'json', { doc: {} }, LIMITS.deliveryBodyBytes);
  try {
    if (text !== null) JSON.parse(text);
    return [];
  } catch (error) {
    return [`it does not render as JSON: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function urlProblems(webhook: Document, doctype: DocType, doctypes: DoctypeRegistry): string[] {
  const text = textOf(webhook, 'request_url').trim();
  if (text === '') return [];
  if (Number(webhook['is_dynamic_url']) !== 1) {
    const problem = urlProblem(text);
    return problem === null ? [] : [`${URL_PROBLEM}: ${problem}`];
  }
  return explained(URL_PROBLEM, () => {
    if (text.length > LIMITS.webhookUrlLength) return ['it is too long'];
    const template = parseTemplate(text);
    return [...unknownInTemplate(template, doctype, doctypes), ...headProblems(template)];
  });
}

// The text before the first value can be checked now, the rest only when the values are known.
function headProblems({ parts: [head] }: Template): string[] {
  if (head?.kind !== 'text') return [];
  const [start, host] = /^\s*https?:\/\/([^/?#]*[/?#])?/i.exec(head.text) ?? [];
  if (start === undefined) return ['it must begin with http:// or https://, or with a value'];
  const problem = host === undefined ? null : urlProblem(head.text.trim());
  return problem === null ? [] : [problem];
}

function unknownFields(fields: readonly string[], doctype: DocType): string[] {
  const unknown = fields.find((fieldname) => !isSentField(doctype, fieldname) && !UNSAVED.has(fieldname));
  return unknown === undefined ? [] : [`there is no field ${unknown.slice(0, 100)}`];
}

function unknownInTemplate(template: Template, doctype: DocType, doctypes: DoctypeRegistry): string[] {
  const unknown = template.rowFields.find((path) => {
    const [table = '', fieldname = ''] = path.split('.');
    const child = doctypes.find(doctype.tables.find((one) => one.fieldname === table)?.options ?? '');
    return child && !isSentField(child, fieldname);
  });
  const problems = unknownFields(template.fields, doctype);
  return unknown === undefined ? problems : [...problems, `there is no field ${unknown.slice(0, 100)}`];
}

const UNSAVED: ReadonlySet<string> = new Set(['__islocal', '__unsaved']);

function explained(place: string, find: () => readonly string[]): string[] {
  try {
    return find().map((problem) => `${place}: ${problem}`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [`${place}: ${error.message}`];
  }
}

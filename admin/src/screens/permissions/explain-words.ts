import { formatList } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { paths } from '../../base/paths.ts';
import type { Explanation, Outcome, Question, Step } from './explain-data.ts';
import { verbOf } from './right-words.ts';

/** The answer in one line. */
export function answerOf(
  { allowed, steps }: Explanation,
  question: Question,
): { outcome: Outcome; text: string } {
  const { user, doctype, name, right } = question;
  const what = name === '' ? t('{doctype} records', { doctype: t(doctype) }) : `${t(doctype)} ${name}`;
  const words = { user, what, doctype: t(doctype), right: verbOf(right) };
  const isBlocked = steps.some(({ rule, outcome }) => rule === 'docstatus' && outcome === 'refuses');
  if (!allowed) return { outcome: 'refuses', text: t('No. {user} can’t {right} {what}.', words) };
  if (isBlocked)
    return { outcome: 'limits', text: t('Not now. {user} has the right to {right} {what}.', words) };
  if (name === '' && steps.some(({ outcome }) => outcome === 'limits'))
    return {
      outcome: 'limits',
      text: t('Yes, with limits. {user} can {right} some {doctype} records.', words),
    };
  return { outcome: 'allows', text: t('Yes. {user} can {right} {what}.', words) };
}

/** A step in words. */
export function stepText(step: Step, question: Question): string {
  const words = {
    user: question.user,
    doctype: t(question.doctype),
    name: question.name,
    right: verbOf(question.right),
    role: t(step.role ?? ''),
    owner: step.owner ?? '',
  };
  if (step.rule === 'administrator') return t('Administrator passes every check.');
  if (step.rule === 'child_table') return t('Rows of {doctype} have the permissions of their parent.', words);
  if (step.rule === 'role')
    return step.if_owner === 1
      ? t('The role {role} can {right} {doctype} records that the user created.', words)
      : t('The role {role} can {right} every {doctype} record.', words);
  if (step.rule === 'no_role') return noRoleText(step, words);
  if (step.rule === 'share')
    return step.outcome === 'allows'
      ? t('The record is shared with {user}.', words)
      : t('Some {doctype} records are shared with {user}.', words);
  if (step.rule === 'missing') return t('There is no {doctype} {name}.', words);
  if (step.rule === 'user_permission') return restrictionText(step);
  if (step.rule === 'owner')
    return step.outcome === 'allows'
      ? t('{user} created the record.', words)
      : t('The record belongs to {owner}, and the role only covers records that the user created.', words);
  return otherText(step, words);
}

type Words = Readonly<Record<string, string>>;

function noRoleText({ roles = [] }: Step, words: Words): string {
  if (roles.length === 0) return t('No role can {right} {doctype} records.', words);
  const needed = formatList(roles.map((role) => t(role)));
  return t('No role of {user} can {right} {doctype} records. These roles can: {needed}.', {
    ...words,
    needed,
  });
}

function restrictionText({ outcome, allow = '', field = '', values = [], or_empty, value }: Step): string {
  const allowed = formatList(values);
  const words = {
    allow: t(allow),
    field: field === 'name' ? t('Name') : t(field),
    values: allowed,
    value: value ?? '',
  };
  if (outcome === 'refuses' && value !== undefined)
    return t('User permissions allow {allow} {values}, but {field} is {value}.', words);
  if (outcome === 'refuses')
    return t('User permissions allow {allow} {values}, but {field} is something else.', words);
  if (outcome === 'allows') return t('{field} fits the user permissions: {allow} {values}.', words);
  return or_empty === 1
    ? t('Only records whose {field} is {values} or empty (user permissions for {allow}).', words)
    : t('Only records whose {field} is {values} (user permissions for {allow}).', words);
}

function otherText({ rule, outcome, docstatus, fields = [] }: Step, words: Words): string {
  if (rule === 'level')
    return t('Not these fields, whose level needs its own rule: {fields}.', {
      fields: formatList(fields.map((one) => t(one))),
    });
  if (rule === 'controller')
    return outcome === 'refuses'
      ? t('App code refuses this record.')
      : t('App code decides about each record, too.');
  if (outcome === 'limits') return t('The record is submitted: only fields that allow it can change.');
  const states = [t('a draft'), t('submitted'), t('cancelled')];
  return t('Nobody can {right} it now: the record is {state}.', {
    ...words,
    state: states[docstatus ?? 0] ?? '',
  });
}

/** The screen with the rule of a step; null where there is none. */
export function ruleOf(step: Step, { doctype, user }: Question): { path: string; label: string } | null {
  const { rule } = step;
  if (rule === 'role' || rule === 'no_role' || rule === 'level')
    return { path: paths.permissions({ doctype }), label: t('Open the matrix') };
  if (rule === 'user_permission')
    return {
      path: paths.permissions({ tab: 'users', user, doctype: step.allow }),
      label: t('Open the user permissions'),
    };
  if (rule === 'share')
    return { path: paths.permissions({ tab: 'shares', user, doctype }), label: t('Open the shares') };
  return null;
}

import { t } from '../../base/i18n.ts';
import type { AuditEntry } from './audit-data.ts';

type Details = Readonly<Record<string, unknown>>;
type Told = (details: Details) => string | null;

/** A change of a document whose name says nothing, by its content; null if the entry has too little of it. */
export function documentText({ reference_doctype: doctype }: AuditEntry, details: Details): string | null {
  const change = String(details['change']);
  return DOCUMENTS[doctype ?? '']?.[change]?.(details) ?? null;
}

/** The label of a field: its name in words. */
export function fieldText(fieldname: string): string {
  const words = fieldname.replaceAll('_', ' ').trim();
  return t(words.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()));
}

const DOCUMENTS: Readonly<Record<string, Readonly<Record<string, Told>>>> = {
  DocShare: {
    created: share((words) => t('Shared {document} with {user}', words)),
    deleted: share((words) => t('Ended the share of {document} with {user}', words)),
  },
  'User Permission': {
    created: restriction((words) => t('Restricted {user} to {document}', words)),
    deleted: restriction((words) => t('Ended the restriction of {user} to {document}', words)),
  },
  'Custom Field': {
    created: field((words) => t('Added the field {field} to {doctype}', words)),
    deleted: field((words) => t('Removed the field {field} from {doctype}', words)),
  },
  'Property Setter': {
    created: property((words) => t('Customized {property} of {subject}', words)),
    deleted: property((words) => t('Reset {property} of {subject}', words)),
  },
  'Custom DocPerm': {
    created: permission((words) => t('Gave {role} rights on {doctype}', words)),
    deleted: permission((words) => t('Removed rights of {role} on {doctype}', words)),
  },
};

function share(say: (words: { readonly document: string; readonly user: string }) => string): Told {
  return (details) => {
    const [doctype, name] = [textOf(details, 'share_doctype'), textOf(details, 'share_name')];
    const user = details['everyone'] === 1 ? t('everyone') : textOf(details, 'user');
    return doctype && name && user ? say({ document: `${t(doctype)} ${name}`, user }) : null;
  };
}

function restriction(say: (words: { readonly document: string; readonly user: string }) => string): Told {
  return (details) => {
    const [doctype, name] = [textOf(details, 'allow'), textOf(details, 'for_value')];
    const user = textOf(details, 'user');
    return doctype && name && user ? say({ document: `${t(doctype)} ${name}`, user }) : null;
  };
}

function field(say: (words: { readonly field: string; readonly doctype: string }) => string): Told {
  return (details) => {
    const label = textOf(details, 'label') || textOf(details, 'fieldname');
    const doctype = textOf(details, 'dt');
    return label && doctype ? say({ field: t(label), doctype: t(doctype) }) : null;
  };
}

function property(say: (words: { readonly property: string; readonly subject: string }) => string): Told {
  return (details) => {
    const [doctype, name] = [textOf(details, 'doc_type'), textOf(details, 'property')];
    const of = textOf(details, 'field_name');
    const subject = of === '' ? t(doctype) : `${t(doctype)} · ${fieldText(of)}`;
    return doctype && name ? say({ property: fieldText(name), subject }) : null;
  };
}

function permission(say: (words: { readonly role: string; readonly doctype: string }) => string): Told {
  return (details) => {
    const [role, doctype] = [textOf(details, 'role'), textOf(details, 'parent')];
    return role && doctype ? say({ role: t(role), doctype: t(doctype) }) : null;
  };
}

function textOf(details: Details, key: string): string {
  const value = details[key];
  return typeof value === 'string' ? value : '';
}

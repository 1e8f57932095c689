import { t } from '../../base/i18n.ts';
import { isLayout, isLongText, isTable } from '../../meta/fieldtypes.ts';
import { byLanguage } from './by-language.ts';

/** The input of a property in the panel. */
export type PropertyKind = 'text' | 'area' | 'flag' | 'count' | 'condition' | 'choice' | 'fetch';

export interface Property {
  readonly name: string;
  readonly label: string;
  readonly kind: PropertyKind;
  readonly hint?: string;
  /** The options of a `choice`. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** The fieldtypes that have it. */
  readonly fits: (fieldtype: string) => boolean;
}

export interface PropertyGroup {
  readonly id: string;
  readonly label: string;
  readonly isOpen: boolean;
  readonly properties: readonly Property[];
}

const hasValue = (type: string) => !isLayout(type);
const isValue = (type: string) => hasValue(type) && !isTable(type);
const isShort = (type: string) => isValue(type) && !isLongText(type) && type !== 'Password';
const isText = (type: string) =>
  ['Data', 'Link', 'Select', 'Autocomplete', 'Phone', 'Barcode'].includes(type);
const isNumeric = (type: string) => ['Int', 'Float', 'Currency', 'Percent'].includes(type);
const isFraction = (type: string) => ['Float', 'Currency', 'Percent'].includes(type);
const isReference = (type: string) => type === 'Link' || type === 'Dynamic Link';
const isSection = (type: string) => type === 'Section Break';
const everywhere = () => true;

/** The properties of fields in the panel, in groups: the same objects until the language changes. */
export const propertyGroups = byLanguage((): readonly PropertyGroup[] => {
  return [
    { id: 'value', label: t('Value'), isOpen: true, properties: valueProperties() },
    { id: 'rules', label: t('Rules'), isOpen: true, properties: ruleProperties() },
    { id: 'lists', label: t('Lists and search'), isOpen: true, properties: listProperties() },
    { id: 'conditions', label: t('Conditions'), isOpen: false, properties: conditionProperties() },
    { id: 'access', label: t('Access and storage'), isOpen: false, properties: accessProperties() },
  ];
});

function valueProperties(): readonly Property[] {
  return [
    { name: 'default', label: t('Default'), kind: 'text', fits: isValue },
    { name: 'placeholder', label: t('Placeholder'), kind: 'text', fits: isText },
    { name: 'description', label: t('Help text'), kind: 'area', fits: everywhere },
    {
      name: 'fetch_from',
      label: t('Copy from'),
      kind: 'fetch',
      hint: t('The field of a linked record from which the value is copied.'),
      fits: isValue,
    },
    { name: 'fetch_if_empty', label: t('Copy only while empty'), kind: 'flag', fits: isValue },
    {
      name: 'on_delete',
      label: t('When the linked record is deleted'),
      kind: 'choice',
      choices: [
        { value: '', label: t('Refuse the deletion') },
        { value: 'empty', label: t('Empty this field') },
        { value: 'cascade', label: t('Delete this record too') },
      ],
      fits: isReference,
    },
    { name: 'collapsible', label: t('Can be collapsed'), kind: 'flag', fits: isSection },
    { name: 'hide_border', label: t('Without a line above'), kind: 'flag', fits: isSection },
  ];
}

function ruleProperties(): readonly Property[] {
  return [
    { name: 'reqd', label: t('Required'), kind: 'flag', fits: hasValue },
    { name: 'unique', label: t('Unique'), kind: 'flag', fits: isText },
    { name: 'read_only', label: t('Read-only'), kind: 'flag', fits: hasValue },
    { name: 'hidden', label: t('Hidden'), kind: 'flag', fits: everywhere },
    { name: 'set_only_once', label: t('Set only once'), kind: 'flag', fits: hasValue },
    { name: 'non_negative', label: t('Not negative'), kind: 'flag', fits: isNumeric },
    { name: 'allow_on_submit', label: t('Can change after submission'), kind: 'flag', fits: hasValue },
    { name: 'no_copy', label: t('Left out of copies'), kind: 'flag', fits: hasValue },
  ];
}

function listProperties(): readonly Property[] {
  return [
    { name: 'in_list_view', label: t('Column in lists'), kind: 'flag', fits: isValue },
    { name: 'in_standard_filter', label: t('Filter above lists'), kind: 'flag', fits: isShort },
    { name: 'in_global_search', label: t('Found by search'), kind: 'flag', fits: isValue },
    {
      name: 'search_index',
      label: t('Index'),
      kind: 'flag',
      hint: t('Makes filters and sorting by this field fast.'),
      fits: isShort,
    },
    { name: 'bold', label: t('Emphasised'), kind: 'flag', fits: isValue },
  ];
}

function conditionProperties(): readonly Property[] {
  return [
    {
      name: 'depends_on',
      label: t('Shown if'),
      kind: 'condition',
      hint: t('A fieldname, or an expression such as eval:doc.status == "Open".'),
      fits: everywhere,
    },
    { name: 'mandatory_depends_on', label: t('Required if'), kind: 'condition', fits: hasValue },
    { name: 'read_only_depends_on', label: t('Read-only if'), kind: 'condition', fits: hasValue },
    { name: 'collapsible_depends_on', label: t('Expanded if'), kind: 'condition', fits: isSection },
  ];
}

function accessProperties(): readonly Property[] {
  return [
    {
      name: 'permlevel',
      label: t('Permission level'),
      kind: 'count',
      hint: t('Roles need a permission row of this level to see the field.'),
      fits: everywhere,
    },
    { name: 'length', label: t('Most characters'), kind: 'count', fits: isText },
    { name: 'precision', label: t('Decimal places'), kind: 'count', fits: isFraction },
    { name: 'enforce_on_server', label: t('The server enforces the rules'), kind: 'flag', fits: hasValue },
    {
      name: 'ignore_user_permissions',
      label: t('User permissions do not apply'),
      kind: 'flag',
      fits: isReference,
    },
  ];
}

import { t } from '../base/i18n.ts';
import type { Field, Meta } from './meta.ts';

const PLAIN: Field = {
  fieldname: '',
  label: '',
  fieldtype: 'Data',
  options: '',
  default: '',
  description: '',
  placeholder: '',
  reqd: false,
  unique: false,
  read_only: true,
  hidden: false,
  bold: false,
  set_only_once: false,
  allow_on_submit: false,
  no_copy: true,
  non_negative: false,
  in_list_view: false,
  in_standard_filter: false,
  is_virtual: false,
  collapsible: false,
  depends_on: '',
  mandatory_depends_on: '',
  read_only_depends_on: '',
  collapsible_depends_on: '',
  fetch_from: '',
  fetch_if_empty: false,
  link_filters: '',
  length: 0,
  precision: 0,
  permlevel: 0,
  columns: 0,
};

/** Standard fields of every document, for columns, filters and sorting. */
export function standardFields(meta: Meta): readonly Field[] {
  const made = (fieldname: string, label: string, fieldtype: string, options = ''): Field => ({
    ...PLAIN,
    fieldname,
    label,
    fieldtype,
    options,
  });
  return [
    made('name', t('Name'), 'Data'),
    made('owner', t('Created by'), 'Link', 'User'),
    made('creation', t('Created'), 'Datetime'),
    made('modified', t('Last changed'), 'Datetime'),
    made('modified_by', t('Changed by'), 'Link', 'User'),
    ...(meta.is_submittable ? [made('docstatus', t('State'), 'Int')] : []),
    made('_user_tags', t('Tags'), 'Data'),
    made('_assign', t('Assigned to'), 'Data'),
    made('_liked_by', t('Liked by'), 'Data'),
  ];
}

/** A field of a doctype or a standard field; undefined if neither exists. */
export function findField(meta: Meta, fieldname: string): Field | undefined {
  return (
    meta.fieldByName.get(fieldname) ?? standardFields(meta).find((field) => field.fieldname === fieldname)
  );
}

/** A field that belongs to no doctype, for a separate control. */
export function makeField(field: Partial<Field> & Pick<Field, 'fieldname' | 'fieldtype'>): Field {
  return { ...PLAIN, read_only: false, no_copy: false, ...field };
}

/** The label of a field, or its name. */
export function labelOf(field: Field): string {
  return field.label === '' ? field.fieldname : t(field.label);
}

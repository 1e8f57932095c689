import type { Definition } from './definition.ts';
import type { DocField, DocType } from './doctype.ts';

/** The Check field that marks the nodes of a tree that may have children. */
export const GROUP_FIELD = 'is_group';

/** The field of a tree that keeps the last saved parent. */
export const OLD_PARENT_FIELD = 'old_parent';

/** The Link field that names a node's parent: `nsm_parent_field`, or else `parent_<doctype>`. */
export function parentFieldOf(definition: Definition, doctypeName: string): string {
  return (
    definition.text('nsm_parent_field') || `parent_${doctypeName.toLowerCase().replaceAll(/[ -]/g, '_')}`
  );
}

type Row = Readonly<Record<string, unknown>>;

/** The fields of every tree, which a definition may omit. */
export function treeFields(doctypeName: string, parentField: string): readonly Row[] {
  return [
    {
      fieldname: parentField,
      label: `Parent ${doctypeName}`,
      fieldtype: 'Link',
      options: doctypeName,
      ignore_user_permissions: 1,
    },
    { fieldname: GROUP_FIELD, label: 'Is Group', fieldtype: 'Check' },
    {
      fieldname: OLD_PARENT_FIELD,
      label: 'Old Parent',
      fieldtype: 'Link',
      options: doctypeName,
      hidden: 1,
      no_copy: 1,
    },
  ];
}

/**
 * The fields of a tree. Only the server sets the old parent, which has at least the permlevel of the parent
 * and the same `on_delete`: both hold the same name.
 */
export function levelOldParent(fields: readonly DocField[], parentField: string): readonly DocField[] {
  const parent = fields.find(({ fieldname }) => fieldname === parentField);
  if (!parent) return fields;
  const { on_delete } = parent;
  return Object.freeze(
    fields.map((field) => {
      if (field.fieldname !== OLD_PARENT_FIELD) return field;
      const permlevel = Math.max(field.permlevel, parent.permlevel);
      return Object.freeze({ ...field, permlevel, on_delete, read_only: true, enforce_on_server: true });
    }),
  );
}

/**
 * Frappe's trees number their nodes in `lft` and `rgt`. Ours are walked by their parents, so these two stay
 * in the definition without a column: a query on them is refused, because a 0 in every node would give wrong
 * answers.
 */
export function withoutNumbers(row: Row): Row {
  const isNumber = row['fieldname'] === 'lft' || row['fieldname'] === 'rgt';
  return isNumber ? { ...row, is_virtual: 1, search_index: 0, reqd: 0, unique: 0 } : row;
}

/** Adds the problems that prevent the doctype from being a tree. */
export function checkTree(doctype: DocType, definition: Definition): void {
  if (!doctype.is_tree) return;
  if (doctype.istable) definition.refuse('a child table cannot be a tree');
  if (doctype.issingle) definition.refuse('a single cannot be a tree');
  if (doctype.is_virtual) definition.refuse('a virtual doctype cannot be a tree');
  const fault = (fieldname: string, fits: (field: DocField) => boolean, wanted: string) => {
    const field = doctype.fieldByName.get(fieldname);
    if (!field || !fits(field) || field.is_virtual) {
      definition.refuse(`Field ${fieldname} of a tree must be ${wanted}`);
    }
  };
  const isLink = (field: DocField) => field.fieldtype === 'Link' && field.options === doctype.name;
  fault(doctype.nsm_parent_field, isLink, `a Link to ${doctype.name}`);
  fault(
    OLD_PARENT_FIELD,
    (field) => isLink(field) || field.fieldtype === 'Data',
    `a Link to ${doctype.name}`,
  );
  fault(GROUP_FIELD, (field) => field.fieldtype === 'Check', 'a Check');
}

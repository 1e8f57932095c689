import type { DocField, DocType } from '../doctype/doctype.ts';
import { isSetByServer } from '../doctype/field-rules.ts';
import { fieldtypeOf } from '../doctype/fieldtypes/fieldtypes.ts';

/** What the cells of a column fill. */
export interface Target {
  /** `customer`, `items.qty`, `items` for the rows of a table as a whole. */
  readonly key: string;
  /** For people: `Customer`, `Items / Quantity`. */
  readonly label: string;
  readonly fieldname: string;
  /** The field of the table whose rows it fills; null for the document. */
  readonly table: string | null;
  /** Null for `name`, `docstatus` and a table as a whole. */
  readonly field: DocField | null;
}

/** The targets of a doctype, and the heads that name each. */
export interface Targets {
  readonly all: readonly Target[];
  readonly byKey: ReadonlyMap<string, Target>;
  /** The target that a head names, by fieldname or label; undefined for none, and for several. */
  named(head: string): Target | undefined;
}

/** What may be filled: all, unless a user's levels forbid some. `parent` is given for the fields of a row. */
export type MayFill = (holder: DocType, field: DocField, parent: DocType | null) => boolean;

/**
 * What an import can fill: fields with a value that clients set, the fields of child rows, `name` and `docstatus`.
 */
export function targetsOf(
  doctype: DocType,
  childOf: (name: string) => DocType,
  mayFill: MayFill = () => true,
): Targets {
  const all: Target[] = [];
  const heads = new Heads();
  const add = (target: Target, names: readonly string[], labels: readonly string[]) => {
    all.push(target);
    for (const name of names) heads.add(name, target, 0);
    for (const label of labels) heads.add(label, target, 1);
  };
  for (const target of standardTargets(doctype)) add(target, [target.fieldname], [target.label]);
  for (const field of doctype.fields.filter(isFilled)) {
    if (!mayFill(doctype, field, null)) continue;
    const { fieldname } = field;
    add(
      { key: fieldname, label: labelOf(field), fieldname, table: null, field },
      [fieldname],
      [labelOf(field)],
    );
  }
  for (const table of doctype.tables) {
    if (isSetByServer(table) || !mayFill(doctype, table, null)) continue;
    const whole = { key: table.fieldname, label: labelOf(table), fieldname: table.fieldname, table: null };
    add({ ...whole, field: null }, [table.fieldname], [labelOf(table)]);
    const child = childOf(table.options);
    const rowName = { fieldname: 'name', label: 'ID', field: null };
    const fields = child.fields.filter((field) => isFilled(field) && mayFill(child, field, doctype));
    const filled = fields.map((field) => ({ fieldname: field.fieldname, label: labelOf(field), field }));
    for (const { fieldname, label, field } of [rowName, ...filled]) {
      const target: Target = {
        key: `${table.fieldname}.${fieldname}`,
        label: `${labelOf(table)} / ${label}`,
        fieldname,
        table: table.fieldname,
        field,
      };
      add(target, [target.key], headsOfRow(table, fieldname, label));
      if (field) for (const head of [label, fieldname]) heads.add(head, target, 2);
    }
  }
  return {
    all,
    byKey: new Map(all.map((target) => [target.key, target])),
    named: (head) => heads.find(head),
  };
}

/** What an import fills besides fields. */
function standardTargets(doctype: DocType): readonly Target[] {
  const name = { key: 'name', label: 'ID', fieldname: 'name', table: null, field: null };
  if (doctype.issingle) return [];
  if (!doctype.is_submittable) return [name];
  return [
    name,
    { key: 'docstatus', label: 'Document Status', fieldname: 'docstatus', table: null, field: null },
  ];
}

function isFilled(field: DocField): boolean {
  return fieldtypeOf(field).column !== null && !field.is_virtual && !isSetByServer(field);
}

// As lists of this server write it, as Frappe does, and with a colon or a chevron.
function headsOfRow(table: DocField, fieldname: string, label: string): readonly string[] {
  const names = [table.fieldname, labelOf(table)];
  const parts = [fieldname, label];
  return names.flatMap((of) =>
    parts.flatMap((part) => [
      `${of} / ${part}`,
      `${of} › ${part}`,
      `${of}:${part}`,
      `${of}.${part}`,
      `${part} (${of})`,
    ]),
  );
}

function labelOf({ label, fieldname }: DocField): string {
  return label || fieldname;
}

/**
 * Heads and what they name: as written first, then without case, marks and repeated spaces. A fieldname wins over a
 * label, and a field of the document over one of a row.
 */
class Heads {
  readonly #exact: Known = new Map();
  readonly #folded: Known = new Map();

  add(head: string, target: Target, rank: number): void {
    put(this.#exact, head, target, rank);
    put(this.#folded, folded(head), target, rank);
  }

  find(head: string): Target | undefined {
    return (this.#exact.get(head.trim()) ?? this.#folded.get(folded(head)))?.target ?? undefined;
  }
}

/** A head that fits several targets has null. */
type Known = Map<string, { readonly target: Target | null; readonly rank: number }>;

function put(known: Known, head: string, target: Target, rank: number): void {
  const other = known.get(head);
  if (other && other.rank < rank) return;
  const isShared = other?.rank === rank && other.target !== target;
  known.set(head, { target: isShared ? null : target, rank });
}

function folded(head: string): string {
  const text = head
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s_]+/g, ' ');
  let [from, to] = [0, text.length];
  while (from < to && ' *'.includes(text.charAt(from))) from += 1;
  while (from < to && ' *:'.includes(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to).replaceAll(/ ?([/›.:()]) ?/g, '$1');
}

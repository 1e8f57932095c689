import { useQuery } from '@tanstack/react-query';
import type { Values } from '../../../form/doc-values.ts';
import { useForm, useValue } from '../../../form/form-context.ts';
import type { Field, Meta } from '../../../meta/meta.ts';
import { metaQuery } from '../../../meta/use-meta.ts';
import { partsOfForm, printable } from './format-parts.ts';

/** What the editor of a Print Format needs: its rows, the fields of the printed doctype, and the changes. */
export interface FormatParts {
  readonly table: string;
  /** The printed doctype; '' until it is chosen. */
  readonly doctype: string;
  readonly fields: readonly Field[];
  readonly children: ReadonlyMap<string, Meta>;
  readonly keys: readonly string[];
  readonly add: (values: Values) => void;
  readonly fill: () => void;
  readonly set: (at: number, fieldname: string, value: string) => void;
  readonly move: (from: number, to: number) => void;
  readonly remove: (at: number) => void;
}

const NONE: ReadonlyMap<string, Meta> = new Map();

/** The rows of the Print Format in the surrounding form. Renders when rows come, go or move. */
export function useFormatParts(table: string): FormatParts {
  const { store } = useForm();
  const doctype = String(useValue('doc_type') ?? '');
  useValue(table);
  const { data } = useQuery({ ...metaQuery(doctype), enabled: doctype !== '' });
  const fields = data?.meta.fields ?? [];
  const keys = store.rows(table).map(({ key }) => key);
  return {
    ...{ table, doctype, keys, fields: printable(fields), children: data?.children ?? NONE },
    add: (values) => store.addRow(table, values),
    fill: () => store.replaceRows(table, partsOfForm(fields)),
    set: (at, fieldname, value) => store.set(`${table}[${at}].${fieldname}`, value),
    move: (from, to) => store.moveRow(table, from, Math.max(0, Math.min(keys.length - 1, to))),
    remove: (at) => store.removeRow(table, at),
  };
}

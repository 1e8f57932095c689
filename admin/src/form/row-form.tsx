import { useMemo } from 'react';
import type { Meta } from '../meta/meta.ts';
import { FormBody } from './form-body.tsx';

/** All fields of a table row as a form, for a drawer of the grid. Needs the document's form around it. */
export function RowForm({
  table,
  row,
  child,
}: {
  readonly table: string;
  readonly row: number;
  readonly child: Meta;
}) {
  const holder = useMemo(() => ({ meta: child, prefix: `${table}[${row}].` }), [child, table, row]);
  return <FormBody holder={holder} />;
}

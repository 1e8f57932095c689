import { useMemo } from 'react';
import type { Meta } from '../meta/meta.ts';
import { FormBody } from './form-body.tsx';

/**
 * All fields of a row of a table, as a form of its own: for the drawer of a grid. Stands inside of the
 * document's form.
 */
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

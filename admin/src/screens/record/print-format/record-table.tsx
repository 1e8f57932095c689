import { type ComponentType, lazy, Suspense } from 'react';
import type { TableProps } from '../../../form/table-slot.ts';
import { ChildGrid } from '../../../grid/child-grid.tsx';
import { Skeleton } from '../../../widgets/feedback.tsx';

/** Tables of these rows have an editor of their own instead of the grid. */
const OWN: ReadonlyMap<string, ComponentType<TableProps>> = new Map([
  ['Print Format Part', lazy(async () => ({ default: (await import('./format-editor.tsx')).FormatEditor }))],
]);

/** A table of a record's form: the editor of its rows if they have one, else the grid. */
export function RecordTable(props: TableProps) {
  const Own = OWN.get(props.child.name);
  if (!Own) return <ChildGrid {...props} />;
  return (
    <Suspense fallback={<Skeleton height={240} />}>
      <Own {...props} />
    </Suspense>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { formatDatetime, formatRelative } from '../../../base/format.ts';
import { t, tn } from '../../../base/i18n.ts';
import { toast } from '../../../base/toasts.ts';
import { useTask } from '../../../base/use-task.ts';
import { callMethod } from '../../../data/api.ts';
import { FormContext } from '../../../form/form-context.ts';
import { formatValue } from '../../../meta/field-values.ts';
import type { Meta, MetaBundle } from '../../../meta/meta.ts';
import { findField, labelOf } from '../../../meta/standard-fields.ts';
import { Button } from '../../../widgets/button.tsx';
import { ErrorPanel, tellFailure } from '../../../widgets/error-panel.tsx';
import { Badge, Skeleton } from '../../../widgets/feedback.tsx';
import { Icon } from '../../../widgets/icon.tsx';
import { Muted, Stack } from '../../../widgets/layout.tsx';
import css from './beside.module.css';
import { type VersionRow, versionsQuery } from './beside-data.ts';
import { type Changed, type ChangedRow, readVersion } from './version-diff.ts';

interface ListProps {
  readonly bundle: MetaBundle;
  readonly name: string;
}

/** Versions of a document. Each expands to its values, which can be restored into the form. */
export function VersionList({ bundle, name }: ListProps) {
  const { data, error, refetch, isPending } = useQuery(versionsQuery(bundle.meta.name, name));
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton height={60} />;
  if (data.length === 0)
    return (
      <Muted>
        {bundle.meta.track_changes
          ? t('No changes yet.')
          : t('{doctype} has no version history.', { doctype: bundle.meta.name })}
      </Muted>
    );
  return (
    <ul className={css['entries']}>
      {data.map((version) => (
        <Version key={version.name} version={version} bundle={bundle} />
      ))}
    </ul>
  );
}

function Version({ version, bundle }: { readonly version: VersionRow; readonly bundle: MetaBundle }) {
  const [isOpen, open] = useState(false);
  const diff = readVersion(version.data);
  const count = diff.fields.length + diff.rows.length;
  return (
    <li className={css['entry']}>
      <button type="button" className={css['opener']} aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'end'} size={14} />
        <span dir="auto">{version.owner}</span>
        <Muted isSmall>{tn(count, '{count} change', '{count} changes')}</Muted>
        <time className={css['when']} dateTime={version.creation} title={formatDatetime(version.creation)}>
          {formatRelative(version.creation)}
        </time>
      </button>
      {isOpen && (
        <div className={css['inside']}>
          <Stack gap={3}>
            {diff.fields.length > 0 && <Changes meta={bundle.meta} fields={diff.fields} />}
            {diff.rows.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a version never changes
              <RowChanges key={at} row={row} bundle={bundle} />
            ))}
            <RestoreButton version={version.name} isTruncated={diff.isTruncated} />
          </Stack>
        </div>
      )}
    </li>
  );
}

function RowChanges({ row, bundle }: { readonly row: ChangedRow; readonly bundle: MetaBundle }) {
  const table = bundle.meta.fieldByName.get(row.table);
  const child = table && bundle.children.get(table.options);
  return (
    <div>
      <p className={css['rowTitle']}>
        {t('{table}, row {number}', { table: table ? labelOf(table) : row.table, number: row.number })}{' '}
        {row.kind === 'added' && <Badge tone="success">{t('Added')}</Badge>}
        {row.kind === 'removed' && <Badge tone="danger">{t('Removed')}</Badge>}
      </p>
      <Changes meta={child} fields={row.fields} />
    </div>
  );
}

function Changes({ meta, fields }: { readonly meta: Meta | undefined; readonly fields: readonly Changed[] }) {
  const shown = (name: string, value: unknown) => {
    const field = meta && findField(meta, name);
    return field ? formatValue(field, value) : value === null ? '' : String(value);
  };
  return (
    <table className={css['changes']}>
      <thead>
        <tr>
          <th scope="col">{t('Field')}</th>
          <th scope="col">{t('Before')}</th>
          <th scope="col">{t('After')}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ fieldname, before, after }) => {
          const field = meta && findField(meta, fieldname);
          return (
            <tr key={fieldname}>
              <th scope="row">{field ? labelOf(field) : fieldname}</th>
              <td dir="auto">
                <del>{shown(fieldname, before)}</del>
              </td>
              <td dir="auto">
                <ins>{shown(fieldname, after)}</ins>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface Restored {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
}

// Restores values into the form without saving, so that the user can review them first.
function RestoreButton({
  version,
  isTruncated,
}: {
  readonly version: string;
  readonly isTruncated: boolean;
}) {
  const form = useContext(FormContext);
  const { isBusy, run } = useTask();
  if (!form?.canWrite || isTruncated) return null;
  const restore = () =>
    run(async () => {
      const { fields, notes } = await callMethod<Restored>('chancery.restore_version', {
        name: version,
        preview: 1,
      });
      form.store.assign(fields);
      toast('info', [t('Values restored to the form. Save to keep them.'), ...notes].join(' '));
    }, tellFailure);
  return (
    <span>
      <Button icon="history" isBusy={isBusy} onClick={restore}>
        {t('Restore the values before this change')}
      </Button>
    </span>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { announce } from '../../base/announce.ts';
import { formatNumber } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import { useTask } from '../../base/use-task.ts';
import { countRows, type ListQuery } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { exportRows, saveFile } from '../../grid/list-export.ts';
import { chosenCount, isNothing, type Selection } from '../../grid/list-selection.ts';
import type { Field } from '../../meta/meta.ts';
import { Button } from '../../widgets/button.tsx';
import { Checkbox } from '../../widgets/checks.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Progress, Spinner } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { SegmentedControl } from '../../widgets/segmented-control.tsx';

export interface ExportDialogProps {
  readonly doctype: string;
  readonly query: ListQuery;
  readonly selection: Selection;
  /** Fieldnames of the visible columns, and of all fields. */
  readonly shown: readonly string[];
  readonly fields: readonly Field[];
  readonly onClose: () => void;
}

/** Exports the list to a file: all matching rows or the selected ones. Shows their exact number first. */
export function ExportDialog({ doctype, query, selection, shown, fields, onClose }: ExportDialogProps) {
  const [format, setFormat] = useState<'csv' | 'json'>('csv');
  const [scope, setScope] = useState<'shown' | 'all'>('shown');
  const [isGuarded, setGuarded] = useState(true);
  const [rows, setRows] = useState<number | null>(null);
  const { error, run } = useTask();
  const stop = useRef<AbortController | null>(null);
  const names = scope === 'shown' ? shown : fields.map((field) => field.fieldname);
  // The list's own fields too, so that the export has the same rows.
  const exported = { ...query, fields: [...new Set([...(query.fields ?? []), ...names])] };
  const total = useQuery({
    queryKey: [...keys.count(doctype, exported), 'exact'],
    queryFn: ({ signal }) => countRows(doctype, exported, { exact: true, signal }),
    staleTime: 0,
  });
  useEffect(() => () => stop.current?.abort(), []);
  const chosen = isNothing(selection) ? { mode: 'all' as const, names: new Set<string>() } : selection;
  const count = chosenCount(chosen, total.data?.count ?? null);

  const write = async () => {
    const control = new AbortController();
    stop.current = control;
    setRows(0);
    try {
      const options = { format, fields: names, isGuarded };
      const blob = await exportRows(doctype, exported, chosen, options, {
        signal: control.signal,
        onProgress: setRows,
      });
      saveFile(`${doctype}.${format}`, blob);
      announce(t('Export ready'));
      onClose();
    } catch (failure) {
      setRows(null);
      if (!control.signal.aborted) throw failure;
    }
  };
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={t('Export {doctype}', { doctype: t(doctype) })}
      isSticky={rows !== null}
    >
      <Stack gap={3}>
        {count === null ? (
          <Row>
            <Spinner label={t('Counting…')} />
            {t('Counting…')}
          </Row>
        ) : (
          <strong>
            {tn(count, '{count} record will be exported.', '{count} records will be exported.')}
          </strong>
        )}
        <SegmentedControl
          label={t('Format')}
          value={format}
          onChange={setFormat}
          choices={[
            { value: 'csv', label: 'CSV' },
            { value: 'json', label: 'JSON' },
          ]}
        />
        <SegmentedControl
          label={t('Columns')}
          value={scope}
          onChange={setScope}
          choices={[
            { value: 'shown', label: t('Visible columns ({count})', { count: formatNumber(shown.length) }) },
            { value: 'all', label: t('All ({count})', { count: formatNumber(fields.length) }) },
          ]}
        />
        {format === 'csv' && (
          <Checkbox
            label={t('Escape formulas')}
            description={t('Puts an apostrophe before text that starts with =, +, - or @.')}
            isOn={isGuarded}
            onChange={setGuarded}
          />
        )}
        {rows !== null && (
          <>
            <Progress value={(100 * rows) / Math.max(1, count ?? rows)} label={t('Export')} />
            <span role="status">{tn(rows, '{count} row read', '{count} rows read')}</span>
          </>
        )}
        {error !== null && <ErrorPanel error={error} />}
        {total.error !== null && <ErrorPanel error={total.error} onRetry={() => void total.refetch()} />}
        <Row isApart>
          <Button onClick={rows === null ? onClose : () => stop.current?.abort()}>
            {rows === null ? t('Back') : t('Stop')}
          </Button>
          <Button
            kind="primary"
            icon="download"
            isBusy={rows !== null}
            disabled={count === null || count === 0}
            onClick={() => run(write)}
          >
            {t('Export')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

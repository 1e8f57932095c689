import { useEffect, useRef, useState } from 'react';
import { announce } from '../../base/announce.ts';
import { t, tn } from '../../base/i18n.ts';
import { useTask } from '../../base/use-task.ts';
import { useUser } from '../../data/boot.ts';
import type { ListQuery } from '../../data/documents.ts';
import { type BulkProgress, chosenNames, runBulk } from '../../grid/list-bulk.ts';
import type { Scalar } from '../../grid/list-filters.ts';
import type { Selection } from '../../grid/list-selection.ts';
import { isListable } from '../../meta/fieldtypes.ts';
import type { Field, Meta } from '../../meta/meta.ts';
import { isLevelOpen } from '../../meta/permissions.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Progress, Spinner } from '../../widgets/feedback.tsx';
import { FieldFrame } from '../../widgets/field-frame.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { type BulkAction, changeOf, textsOf } from './bulk-action.ts';
import { BulkResult } from './bulk-result.tsx';
import { OneValue } from './filter-value.tsx';

export interface BulkDialogProps {
  readonly action: BulkAction;
  readonly meta: Meta;
  readonly query: ListQuery;
  readonly selection: Selection;
  readonly onClose: () => void;
  /** Called with the names of all processed records, failures included. */
  readonly onChanged: (names: readonly string[]) => void;
}

/**
 * Runs a bulk action on the selected records: loads their names, shows their number, asks for confirmation
 * and lists the results.
 */
export function BulkDialog({ action, meta, query, selection, onClose, onChanged }: BulkDialogProps) {
  const texts = textsOf(action);
  const [found, setFound] = useState(0);
  const [names, setNames] = useState<readonly string[] | null>(null);
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const [isDone, setDone] = useState(false);
  const [lost, setLost] = useState<unknown>(null);
  const task = useTask();
  const error = lost ?? task.error;
  const [field, setField] = useState<Field | null>(null);
  const [value, setValue] = useState<Scalar>(null);
  const stop = useRef(new AbortController());

  useEffect(() => {
    const control = new AbortController();
    chosenNames(meta.name, query, selection, { signal: control.signal, onProgress: setFound })
      .then(setNames)
      .catch((failure: unknown) => {
        if (!control.signal.aborted) setLost(failure);
      });
    return () => control.abort();
  }, [meta.name, query, selection]);
  // Leaving the screen cancels the requests not sent yet.
  useEffect(() => () => stop.current.abort(), []);

  const change = async () => {
    if (!names) return;
    stop.current = new AbortController();
    setProgress({ done: 0, total: names.length, failures: [] });
    try {
      const asked = changeOf(action, field ? { [field.fieldname]: value } : {});
      const result = await runBulk(meta.name, names, asked, {
        signal: stop.current.signal,
        onProgress: setProgress,
      });
      setProgress(result);
      announce(
        t('{done} of {total} done, {failed} failed', {
          done: result.done - result.failures.length,
          total: result.total,
          failed: result.failures.length,
        }),
      );
    } finally {
      setDone(true);
      onChanged(names);
    }
  };
  const isRunning = progress !== null && !isDone;
  return (
    <Modal isOpen onClose={onClose} title={texts.title} isSticky={isRunning} isForced={isRunning}>
      <Stack gap={3}>
        {names === null && error === null && (
          <Row>
            <Spinner label={t('Finding the records…')} />
            {tn(found, '{count} record found so far', '{count} records found so far')}
          </Row>
        )}
        {names !== null && progress === null && (
          <>
            <strong>{texts.question(names.length)}</strong>
            {action === 'edit' && (
              <FieldToSet meta={meta} field={field} value={value} onField={setField} onValue={setValue} />
            )}
          </>
        )}
        {isRunning && (
          <>
            <Progress value={(100 * progress.done) / Math.max(1, progress.total)} label={texts.title} />
            <span role="status">
              {t('{done} of {total}', { done: progress.done, total: progress.total })}
            </span>
          </>
        )}
        {isDone && progress && <BulkResult progress={progress} />}
        {error !== null && <ErrorPanel error={error} />}
        <Row isApart>
          {isRunning ? (
            <Button onClick={() => stop.current.abort()}>{t('Stop')}</Button>
          ) : (
            <Button onClick={onClose}>{progress === null ? t('Back') : t('Close')}</Button>
          )}
          {progress === null && (
            <Button
              kind={texts.isDanger ? 'danger' : 'primary'}
              disabled={!names || names.length === 0 || (action === 'edit' && field === null)}
              onClick={() => task.run(change)}
            >
              {texts.verb}
            </Button>
          )}
        </Row>
      </Stack>
    </Modal>
  );
}

interface FieldToSetProps {
  readonly meta: Meta;
  readonly field: Field | null;
  readonly value: Scalar;
  readonly onField: (field: Field | null) => void;
  readonly onValue: (value: Scalar) => void;
}

function FieldToSet({ meta, field, value, onField, onValue }: FieldToSetProps) {
  const user = useUser();
  const fields = meta.fields.filter(
    (one) =>
      isListable(one.fieldtype) &&
      !one.read_only &&
      !one.is_virtual &&
      !one.set_only_once &&
      isLevelOpen(meta, one.permlevel, 'write', user),
  );
  return (
    <>
      <Select
        label={t('Field')}
        value={field?.fieldname ?? null}
        onChange={(name) => {
          onField(meta.fieldByName.get(name ?? '') ?? null);
          onValue(null);
        }}
        choices={fields.map((one) => ({ value: one.fieldname, label: labelOf(one) }))}
        autoFocus
      />
      {field && (
        <FieldFrame label={t('New value')} description={t('Leave empty to clear the field.')}>
          {() => (
            <OneValue
              key={field.fieldname}
              field={field}
              label={t('New value')}
              doctype={meta.name}
              value={value}
              onChange={onValue}
            />
          )}
        </FieldFrame>
      )}
    </>
  );
}

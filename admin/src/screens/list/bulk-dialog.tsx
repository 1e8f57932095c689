import { useState } from 'react';
import { t, tn } from '../../base/i18n.ts';
import type { Scalar } from '../../grid/list-filters.ts';
import type { Field } from '../../meta/meta.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Progress, Spinner } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import type { BulkDialogProps } from './bulk-action.ts';
import { BulkResult } from './bulk-result.tsx';
import { FieldToSet } from './field-to-set.tsx';
import { useBulk } from './use-bulk.ts';

/**
 * Runs a bulk action on the selected records: loads their names, shows their number, asks for confirmation
 * and lists the failures.
 */
export function BulkDialog(props: BulkDialogProps) {
  const { action, meta, onClose } = props;
  const bulk = useBulk(props);
  const { texts, title, names, progress, isRunning, error } = bulk;
  const [field, setField] = useState<Field | null>(null);
  const [value, setValue] = useState<Scalar>(null);
  const isReady = names !== null && names.length > 0 && (action !== 'edit' || field !== null);
  return (
    <Modal isOpen onClose={onClose} title={title} isSticky={isRunning} isForced={isRunning}>
      <Stack gap={3}>
        {names === null && error === null && (
          <Row>
            <Spinner label={t('Finding the records…')} />
            {tn(bulk.found, '{count} record found so far', '{count} records found so far')}
          </Row>
        )}
        {names !== null && progress === null && (
          <>
            {texts.warning}
            {action === 'edit' && (
              <FieldToSet {...{ meta, field, value }} onField={setField} onValue={setValue} />
            )}
          </>
        )}
        {isRunning && progress && <Running title={title} done={progress.done} total={progress.total} />}
        {bulk.isDone && progress && <BulkResult doctype={meta.name} progress={progress} texts={texts} />}
        {error !== null && <ErrorPanel error={error} />}
        <Row isApart>
          {isRunning ? (
            <Button onClick={bulk.stop}>{t('Stop')}</Button>
          ) : (
            <Button onClick={onClose}>{progress === null ? t('Back') : t('Close')}</Button>
          )}
          {progress === null && (
            <Button
              kind={texts.isDanger ? 'danger' : 'primary'}
              disabled={!isReady}
              onClick={() => bulk.run(field ? { [field.fieldname]: value } : {})}
            >
              {names === null ? texts.title : texts.verbOf(names.length)}
            </Button>
          )}
        </Row>
      </Stack>
    </Modal>
  );
}

function Running({
  title,
  done,
  total,
}: {
  readonly title: string;
  readonly done: number;
  readonly total: number;
}) {
  return (
    <>
      <Progress value={(100 * done) / Math.max(1, total)} label={title} />
      <span role="status">{t('{done} of {total}', { done, total })}</span>
    </>
  );
}

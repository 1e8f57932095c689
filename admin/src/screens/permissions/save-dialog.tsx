import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t, tn } from '../../base/i18n.ts';
import { useTask } from '../../base/use-task.ts';
import { Button } from '../../widgets/button.tsx';
import { Checkbox } from '../../widgets/checks.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Alert, Badge, Skeleton } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { tryChanges } from './permission-data.ts';
import { keyOf, type RowChange, without } from './permission-rows.ts';
import css from './permissions.module.css';
import { lockoutText, subjectOf, verbsOf } from './right-words.ts';
import type { Matrix } from './use-permissions.ts';

/** The changes in words, with those who would be locked out, before they are saved. */
export function SaveDialog({ matrix, onClose }: { readonly matrix: Matrix; readonly onClose: () => void }) {
  const { changes } = matrix;
  const [isConfirmed, setConfirmed] = useState(false);
  const task = useTask();
  const trial = useQuery({
    queryKey: ['method', 'chancery.permissions.save', changes.map((one) => [keyOf(one), [...one.rights]])],
    queryFn: () => tryChanges(changes),
    staleTime: 0,
    retry: false,
  });
  const warnings = trial.data ?? [];
  const save = () =>
    task.run(async () => {
      await matrix.save();
      onClose();
    });
  const error = trial.error ?? task.error;
  return (
    <Modal isOpen onClose={onClose} title={t('Save permissions')} width={560} isSticky={task.isBusy}>
      <Stack>
        <Summary changes={changes} />
        {trial.isPending && <Skeleton height={40} />}
        {warnings.length > 0 && (
          <Alert tone="warning" title={t('This locks people out')}>
            <Stack gap={2}>
              {warnings.map((one) => (
                <span key={`${one.kind} ${one.doctype}`}>{lockoutText(one)}</span>
              ))}
              <Checkbox
                label={t('I understand. Save it all the same.')}
                isOn={isConfirmed}
                onChange={setConfirmed}
              />
            </Stack>
          </Alert>
        )}
        {error !== null && <ErrorPanel error={error} refused={t('Couldn’t save')} />}
        <Row isApart>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            kind="primary"
            isBusy={task.isBusy}
            disabled={!trial.data || (warnings.length > 0 && !isConfirmed)}
            onClick={save}
          >
            {tn(changes.length, 'Save {count} change', 'Save {count} changes')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

function Summary({ changes }: { readonly changes: readonly RowChange[] }) {
  return (
    <section
      className={css['summary']}
      aria-label={t('Changes')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long summary scrolls by keyboard
      tabIndex={0}
    >
      {[...Map.groupBy(changes, ({ doctype }) => doctype)].map(([doctype, of]) => (
        <div key={doctype}>
          <h3>{t(doctype)}</h3>
          <ul>
            {of.map((change) => (
              <ChangeLines key={keyOf(change)} change={change} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function ChangeLines({ change }: { readonly change: RowChange }) {
  const gained = without(change.rights, change.was);
  const lost = without(change.was, change.rights);
  const words = (rights: typeof gained) => ({ role: subjectOf(change), rights: verbsOf(rights) });
  return (
    <>
      {gained.length > 0 && (
        <li>
          <Badge tone="success">{t('Gains')}</Badge>
          <span>{t('{role} can {rights}', words(gained))}</span>
        </li>
      )}
      {lost.length > 0 && (
        <li>
          <Badge tone="danger">{t('Loses')}</Badge>
          <span>{t('{role} can no longer {rights}', words(lost))}</span>
        </li>
      )}
    </>
  );
}

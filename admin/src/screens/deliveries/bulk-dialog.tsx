import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { t, tn } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { LOG } from '../../data/deliveries.ts';
import { keys } from '../../data/keys.ts';
import { type BulkAction, countBulk, runBulk } from '../../data/webhooks.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Progress, Skeleton } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';

/**
 * Shows the exact number of affected deliveries and runs the action after confirmation. It keeps the filters
 * from when it opened.
 */
export function BulkDialog({
  action,
  onClose,
}: {
  readonly action: BulkAction;
  readonly onClose: () => void;
}) {
  const [fixed] = useState(action);
  return (
    <Modal isOpen onClose={onClose} title={titleOf(fixed)} isSticky>
      <BulkRun action={fixed} onClose={onClose} />
    </Modal>
  );
}

/** The content of the dialog: count, button and progress. */
export function BulkRun({ action, onClose }: { readonly action: BulkAction; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [done, setDone] = useState<number | null>(null);
  const task = useTask();
  const stop = useRef<AbortController | null>(null);
  const count = useQuery({
    queryKey: ['method', 'bulk', action],
    queryFn: ({ signal }) => countBulk(action, signal),
    staleTime: 0,
    gcTime: 0,
  });
  useEffect(() => () => stop.current?.abort(), []);
  const run = () =>
    task.run(async () => {
      const control = new AbortController();
      stop.current = control;
      setDone(0);
      try {
        const total = await runBulk(action, setDone, control.signal);
        toast('success', doneText(action, total));
        onClose();
      } catch (error) {
        setDone(null);
        if (!control.signal.aborted) throw error;
      } finally {
        void client.invalidateQueries({ queryKey: keys.lists(LOG) });
      }
    });
  const total = count.data ?? 0;
  return (
    <Stack>
      {count.error && <ErrorPanel error={count.error} onRetry={() => void count.refetch()} />}
      {count.data === undefined && !count.error && <Skeleton height={40} />}
      {count.data !== undefined && (
        <p role="status">
          <strong>{countText(action, total)}</strong>
        </p>
      )}
      {action.kind === 'resend' && (
        <Muted isSmall>
          {t('Sends the same bytes with the same webhook-id. Skips tests and disabled webhooks.')}
        </Muted>
      )}
      {done !== null && <Progress value={total === 0 ? 0 : (done / total) * 100} label={t('Progress')} />}
      {task.error !== null && <ErrorPanel error={task.error} />}
      <Row isApart>
        <Button
          onClick={() => {
            stop.current?.abort();
            onClose();
          }}
        >
          {done === null ? t('Close') : t('Stop')}
        </Button>
        <Button
          kind={action.kind === 'cancel' ? 'danger' : 'primary'}
          isBusy={done !== null}
          disabled={total === 0}
          onClick={run}
        >
          {verbOf(action, total)}
        </Button>
      </Row>
    </Stack>
  );
}

function titleOf({ kind }: BulkAction): string {
  if (kind === 'cancel') return t('Cancel waiting deliveries');
  return kind === 'resend' ? t('Resend deliveries') : t('Recover failed deliveries');
}

function countText({ kind }: BulkAction, count: number): string {
  if (kind === 'cancel')
    return tn(
      count,
      '{count} waiting delivery will be cancelled.',
      '{count} waiting deliveries will be cancelled.',
    );
  return tn(count, '{count} delivery will be resent.', '{count} deliveries will be resent.');
}

function verbOf({ kind }: BulkAction, count: number): string {
  if (kind === 'cancel') return tn(count, 'Cancel {count} delivery', 'Cancel {count} deliveries');
  return tn(count, 'Resend {count} delivery', 'Resend {count} deliveries');
}

function doneText({ kind }: BulkAction, count: number): string {
  if (kind === 'cancel') return tn(count, '{count} delivery cancelled', '{count} deliveries cancelled');
  return tn(count, '{count} delivery resent', '{count} deliveries resent');
}

import { type ReactNode, useState } from 'react';
import { formatNumber } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { messagesOf } from '../../widgets/error-panel.tsx';
import { Alert, Progress } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { forEachName, type Outcome } from './each.ts';
import { refreshFiles } from './file-data.ts';
import type { FileItem } from './file-item.ts';
import css from './files.module.css';

interface BulkDialogProps {
  readonly items: readonly FileItem[];
  readonly title: string;
  readonly action: string;
  readonly isDanger?: boolean;
  readonly children: ReactNode;
  readonly run: (name: string) => Promise<unknown>;
  readonly saying: (count: number) => string;
  readonly onClose: () => void;
  /** Called with the names of the successful items. */
  readonly onDone?: (names: readonly string[]) => void;
}

/** Maximum names listed before "and so many more". */
const SHOWN = 8;

/** Confirms and runs an action on many files. Lists each failure. */
export function BulkDialog({
  items,
  title,
  action,
  isDanger,
  children,
  run,
  saying,
  onClose,
  onDone,
}: BulkDialogProps) {
  const [finished, setFinished] = useState<number | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const task = useTask();
  const isBusy = finished !== null && !outcome;
  const start = async () => {
    setFinished(0);
    const names = items.map(({ name }) => name);
    const result = await forEachName(names, run, setFinished);
    const failed = new Set(result.failures.map(({ name }) => name));
    onDone?.(names.filter((name) => !failed.has(name)));
    await refreshFiles();
    if (result.done > 0) toast('success', saying(result.done));
    if (result.failures.length === 0) onClose();
    else setOutcome(result);
  };
  return (
    <Modal isOpen onClose={onClose} title={title} isForced={isBusy}>
      <Stack>
        {outcome ? (
          <Failures outcome={outcome} items={items} />
        ) : (
          <>
            <span>{children}</span>
            <Names items={items} />
          </>
        )}
        {isBusy && <Progress value={(100 * (finished ?? 0)) / items.length} label={title} />}
        <Row isApart>
          <Button onClick={onClose} disabled={isBusy}>
            {outcome ? t('Close') : t('Cancel')}
          </Button>
          {!outcome && (
            <Button
              kind={isDanger ? 'danger' : 'primary'}
              isBusy={isBusy}
              disabled={items.length === 0}
              onClick={() => task.run(start)}
              data-autofocus
            >
              {action}
            </Button>
          )}
        </Row>
      </Stack>
    </Modal>
  );
}

function Names({ items }: { readonly items: readonly FileItem[] }) {
  const more = items.length - SHOWN;
  return (
    <ul className={css['names']}>
      {items.slice(0, SHOWN).map(({ name, title }) => (
        <li key={name} dir="auto">
          {title}
        </li>
      ))}
      {more > 0 && (
        <li>
          <Muted>{t('and {count} more', { count: formatNumber(more) })}</Muted>
        </li>
      )}
    </ul>
  );
}

function Failures({ outcome, items }: { readonly outcome: Outcome; readonly items: readonly FileItem[] }) {
  const { failures } = outcome;
  const titles = new Map(items.map(({ name, title }) => [name, title] as const));
  return (
    <Alert tone="danger" title={tn(failures.length, '{count} item failed', '{count} items failed')}>
      <ul className={css['names']}>
        {failures.slice(0, 20).map(({ name, error }) => (
          <li key={name}>
            <bdi>{titles.get(name)}</bdi>: {messagesOf(error).join(' ')}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

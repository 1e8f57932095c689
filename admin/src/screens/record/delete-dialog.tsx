import { useQuery } from '@tanstack/react-query';
import { t, tn } from '../../base/i18n.ts';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Muted, Stack } from '../../widgets/layout.tsx';
import { type Connection, connectionsQuery, type LinkEffect } from './beside/beside-data.ts';
import css from './record.module.css';

interface DeleteDialogProps {
  readonly doctype: string;
  readonly docname: string;
  readonly onClose: () => void;
  readonly run: () => Promise<unknown>;
}

/** Asks before a deletion, and shows its effect on the documents that link to this one. */
export function DeleteDialog({ doctype, docname, onClose, run }: DeleteDialogProps) {
  const query = { ...connectionsQuery(doctype, docname), refetchOnMount: 'always' as const };
  const { data: linking = [], isPending } = useQuery(query);
  const unnamed = linking.reduce((sum, { count, names }) => sum + count - names.length, 0);
  return (
    <ConfirmDialog
      isOpen
      isDanger
      onClose={onClose}
      title={t('Delete {name}?', { name: docname })}
      action={t('Delete')}
      run={run}
    >
      <Stack gap={2}>
        {t('Deletes this document and its rows.')}
        {isPending && <Skeleton height={24} />}
        <Affected label={t('These documents prevent the deletion:')} effect="blocks" linking={linking} />
        <Affected label={t('These documents are deleted too:')} effect="deleted" linking={linking} />
        <Affected label={t('These documents lose their link:')} effect="emptied" linking={linking} />
        {unnamed > 0 && (
          <Muted>
            {tn(unnamed, '{count} more document links to it.', '{count} more documents link to it.')}
          </Muted>
        )}
      </Stack>
    </ConfirmDialog>
  );
}

interface AffectedProps {
  readonly label: string;
  readonly effect: LinkEffect;
  readonly linking: readonly Connection[];
}

function Affected({ label, effect, linking }: AffectedProps) {
  const affected = linking.flatMap(({ doctype, names, effects }) =>
    names.filter((_, at) => effects[at] === effect).map((name) => ({ doctype, name })),
  );
  if (affected.length === 0) return null;
  return (
    <div>
      {label}
      <ul className={css['affected']} aria-label={label}>
        {affected.map(({ doctype, name }) => (
          <li key={`${doctype} ${name}`}>
            {t(doctype)} <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}

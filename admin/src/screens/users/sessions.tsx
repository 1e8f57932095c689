import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDatetime, formatRelative } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { Button } from '../../widgets/button.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Badge, Skeleton } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack, Truncate } from '../../widgets/layout.tsx';
import { Table } from '../../widgets/table.tsx';
import { endOtherSessions, endSession, type Session, sessionsQuery } from './session-data.ts';
import { shortAgent } from './user-agent.ts';
import css from './users.module.css';

/** Sessions of a user, with actions to end them. */
export function Sessions({ user }: { readonly user: string }) {
  const { data, error, refetch } = useQuery(sessionsQuery(user));
  const [ending, setEnding] = useState<Session | 'others' | null>(null);
  const others = data?.filter((session) => session.current !== 1).length ?? 0;
  return (
    <Stack gap={3}>
      <Row isApart>
        <h2>{t('Sessions')}</h2>
        {others > 0 && (
          <Button icon="sign-out" onClick={() => setEnding('others')}>
            {others === data?.length ? t('End all sessions…') : t('End all other sessions…')}
          </Button>
        )}
      </Row>
      {error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={64} />}
      {data?.length === 0 && <Muted>{t('No active sessions.')}</Muted>}
      {data && data.length > 0 && <SessionTable rows={data} onEnd={setEnding} />}
      {ending !== null && (
        <ConfirmDialog
          isOpen
          onClose={() => setEnding(null)}
          title={ending === 'others' ? t('End sessions?') : t('End this session?')}
          action={
            ending === 'others' ? tn(others, 'End {count} session', 'End {count} sessions') : t('End session')
          }
          isDanger
          run={async () => {
            if (ending === 'others') {
              const ended = await endOtherSessions(user);
              toast('success', tn(ended, '{count} session ended', '{count} sessions ended'));
            } else {
              await endSession(user, ending.id);
              toast('success', t('Session ended'));
            }
          }}
        >
          {t('Signs the user out on those devices. API keys still work.')}
        </ConfirmDialog>
      )}
    </Stack>
  );
}

function SessionTable({
  rows,
  onEnd,
}: {
  readonly rows: readonly Session[];
  readonly onEnd: (session: Session) => void;
}) {
  return (
    <Table
      label={t('List of sessions')}
      rows={rows}
      rowKey={(session) => session.id}
      columns={[
        { id: 'where', label: t('Where'), isHeader: true, cell: (session) => <Where of={session} /> },
        { id: 'address', label: t('Address'), cell: ({ address }) => <bdi>{address ?? '–'}</bdi> },
        { id: 'begun', label: t('Signed in'), cell: ({ created }) => <When of={created} /> },
        { id: 'used', label: t('Last used'), cell: (session) => <When of={session.last_used} /> },
        {
          id: 'end',
          label: <span className="visually-hidden">{t('Actions')}</span>,
          cell: (session) =>
            session.current === 1 ? null : (
              <Button kind="quiet" onClick={() => onEnd(session)}>
                {t('End')}
              </Button>
            ),
        },
      ]}
    />
  );
}

function Where({ of }: { readonly of: Session }) {
  const agent = of.user_agent ?? '';
  return (
    <div className={css['where']} title={agent}>
      <Truncate text={shortAgent(agent) || agent || t('Unknown program')} />
      {of.current === 1 && <Badge tone="success">{t('This session')}</Badge>}
    </div>
  );
}

function When({ of }: { readonly of: string }) {
  return (
    <time dateTime={of} title={formatDatetime(of, 'full')} className={css['nowrap']}>
      {formatRelative(of)}
    </time>
  );
}

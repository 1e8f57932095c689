import { formatDatetime, formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import type { ServerError } from '../../data/system.ts';
import { Badge } from '../../widgets/feedback.tsx';
import { Muted, Row } from '../../widgets/layout.tsx';
import { Table } from '../../widgets/table.tsx';
import { jobWords } from './job-words.ts';
import css from './system.module.css';

/** Errors, the newest first. */
export function ErrorTable({
  errors,
  onOpen,
}: {
  readonly errors: readonly ServerError[];
  readonly onOpen: (error: ServerError) => void;
}) {
  return (
    <Table
      label={t('Errors')}
      isStacked
      rows={errors}
      rowKey={(error) => `${errors.length - errors.indexOf(error)} ${error.time}`}
      columns={[
        {
          id: 'time',
          label: t('Time'),
          cell: (error) => (
            <button
              type="button"
              className={css['opener']}
              title={formatDatetime(error.time, 'full')}
              aria-haspopup="dialog"
              onClick={() => onOpen(error)}
            >
              {formatDatetime(error.time)}
            </button>
          ),
        },
        { id: 'kind', label: t('Kind'), cell: (error) => <Kind error={error} /> },
        {
          id: 'message',
          label: t('Message'),
          isHeader: true,
          cell: ({ message }) => (
            <div className={css['what']}>
              <bdi>{message.length > 200 ? `${message.slice(0, 200)}…` : message}</bdi>
            </div>
          ),
        },
        { id: 'where', label: t('Where'), cell: (error) => <Where error={error} /> },
      ]}
    />
  );
}

function Kind({ error: { kind, status, times } }: { readonly error: ServerError }) {
  const words = {
    request: t('Request'),
    refusal: t('Refused'),
    reply: t('Broken reply'),
    delivery: t('Delivery'),
    task: t('Task'),
  };
  return (
    <Row>
      <Badge tone={kind === 'refusal' || kind === 'delivery' ? 'warning' : 'danger'}>
        {status ? `${words[kind]} ${status}` : words[kind]}
      </Badge>
      {times > 1 && <Badge>{t('{count} times', { count: formatNumber(times) })}</Badge>}
    </Row>
  );
}

function Where({
  error: { kind, method, path, user, where, request_id: id },
}: {
  readonly error: ServerError;
}) {
  return (
    <div className={css['named']}>
      {path ? (
        <code dir="ltr">{`${method} ${path}`}</code>
      ) : (
        <bdi>{kind === 'task' ? taskText(where) : where}</bdi>
      )}
      {(user || id) && (
        <Muted isSmall>
          {user && <bdi>{user}</bdi>}
          {user && id && ' · '}
          {id && <bdi>{t('Request {id}', { id })}</bdi>}
        </Muted>
      )}
    </div>
  );
}

// A job's failure names the job.
function taskText(where = ''): string {
  return jobWords(where.replaceAll(' ', '_')).label.replaceAll('_', ' ');
}

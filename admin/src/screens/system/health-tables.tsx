import { formatBytes, formatDuration, formatNumber, formatPercent } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import type { ServerNode, ServerProcess } from '../../data/system.ts';
import { Ago } from '../../widgets/ago.tsx';
import { Badge } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { Table } from '../../widgets/table.tsx';
import { millis } from './health-cards.tsx';

/** The processes of this server. */
export function ProcessTable({ processes }: { readonly processes: readonly ServerProcess[] }) {
  return (
    <Stack gap={2}>
      <h2>{t('Processes of this server')}</h2>
      <Table
        label={t('Processes of this server')}
        isStacked
        rows={processes}
        rowKey={({ pid }) => String(pid)}
        columns={[
          { id: 'name', label: t('Process'), isHeader: true, cell: nameOf },
          { id: 'uptime', label: t('Running for'), cell: ({ uptime }) => shortDuration(uptime) },
          { id: 'memory', label: t('Memory'), isNumber: true, cell: ({ memory }) => formatBytes(memory) },
          { id: 'heap', label: t('Heap'), isNumber: true, cell: ({ heap }) => formatBytes(heap) },
          { id: 'busy', label: t('Busy'), isNumber: true, cell: ({ busy }) => formatPercent(100 * busy, 0) },
          {
            id: 'p99',
            label: t('Event-loop delay, p99'),
            isNumber: true,
            cell: ({ delay_p99: delay }) => millis(delay),
          },
          { id: 'max', label: t('Longest'), isNumber: true, cell: ({ delay_max: delay }) => millis(delay) },
        ]}
      />
    </Stack>
  );
}

function nameOf({ worker, role, pid }: ServerProcess): string {
  if (worker === null) return t('Process {pid}', { pid });
  const name = t('Worker {number}', { number: formatNumber(worker) });
  if (role === 'writer') return t('{name}, writes', { name });
  return role === 'reader' ? t('{name}, reads', { name }) : name;
}

// Two units are enough: nobody reads the seconds of a month.
function shortDuration(seconds: number): string {
  return formatDuration(seconds).split(' ').slice(0, 2).join(' ');
}

/** The servers that share a PostgreSQL database. */
export function ServerTable({ nodes }: { readonly nodes: readonly ServerNode[] }) {
  return (
    <Stack gap={2}>
      <h2>{t('Servers of this database')}</h2>
      <Table
        label={t('Servers of this database')}
        isStacked
        rows={nodes}
        rowKey={({ id }) => id}
        columns={[
          {
            id: 'host',
            label: t('Server'),
            isHeader: true,
            cell: ({ host, pid, is_this: isThis }) => (
              <Row>
                <bdi>{host}</bdi>
                <Muted isSmall>{t('Process {pid}', { pid })}</Muted>
                {isThis === 1 && <Badge tone="info">{t('This one')}</Badge>}
              </Row>
            ),
          },
          {
            id: 'state',
            label: t('State'),
            cell: ({ is_alive: isAlive }) =>
              isAlive ? (
                <Badge tone="success">{t('Running')}</Badge>
              ) : (
                <Badge tone="danger">{t('Silent')}</Badge>
              ),
          },
          { id: 'version', label: t('Version'), cell: ({ version }) => version },
          {
            id: 'workers',
            label: t('Workers'),
            isNumber: true,
            cell: ({ workers }) => formatNumber(workers),
          },
          { id: 'started', label: t('Started'), cell: ({ started }) => <Ago timestamp={started} /> },
          { id: 'seen', label: t('Last heartbeat'), cell: ({ seen }) => <Ago timestamp={seen} /> },
        ]}
      />
    </Stack>
  );
}

import type { ReactNode } from 'react';
import { formatBytes, formatDuration, formatNumber, formatRelative } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import type { Disk, Health, RunStatus } from '../../data/system.ts';
import { Icon, type IconName } from '../../widgets/icon.tsx';
import css from './system.module.css';

/** The stores of the server, one card each. */
export function HealthCards({ health }: { readonly health: Health }) {
  return (
    <div className={css['cards']}>
      <DatabaseCard database={health.database} />
      <FilesCard files={health.files} />
      <QueueCard queue={health.queue} />
      <BackupCard backup={health.backup} />
      {health.disks.map((disk) => (
        <DiskCard key={disk.path} disk={disk} />
      ))}
    </div>
  );
}

function DatabaseCard({ database }: Pick<Health, 'database'>) {
  const kind = database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  return (
    <HealthCard icon="layers" title={t('Database')} figure={formatBytes(database.bytes)}>
      <Fact label={t('Engine')}>{`${kind} ${database.version}`}</Fact>
      <Fact label={t('Response time')}>{millis(database.ping_ms)}</Fact>
      {database.log_bytes !== null && (
        <Fact label={t('Write-ahead log')}>{formatBytes(database.log_bytes)}</Fact>
      )}
      {database.connections !== null && (
        <Fact label={t('Connections')}>
          {t('{count} of {most}', {
            count: formatNumber(database.connections),
            most: formatNumber(database.most_connections ?? 0),
          })}
        </Fact>
      )}
    </HealthCard>
  );
}

function FilesCard({ files }: Pick<Health, 'files'>) {
  return (
    <HealthCard icon="folder" title={t('Files')} figure={formatBytes(files.bytes)}>
      <Fact label={t('Stored on')}>{files.place === 's3' ? 'S3' : t('Disk')}</Fact>
      <Fact label={t('Objects')}>{formatNumber(files.objects)}</Fact>
      <Fact label={t('Quarantine')}>{formatBytes(files.quarantined_bytes)}</Fact>
    </HealthCard>
  );
}

function QueueCard({ queue }: Pick<Health, 'queue'>) {
  const open = queue.waiting + queue.sending + queue.parked;
  return (
    <HealthCard
      icon="send"
      title={<PathLink to={paths.deliveries()}>{t('Webhook queue')}</PathLink>}
      figure={formatNumber(open)}
      isBad={queue.is_stuck === 1}
    >
      <Fact label={t('Due now')}>{formatNumber(queue.due)}</Fact>
      <Fact label={t('Retrying')}>{formatNumber(queue.retrying)}</Fact>
      <Fact label={t('Held')}>{formatNumber(queue.held)}</Fact>
      <Fact label={t('Oldest')}>{open === 0 ? '–' : formatDuration(queue.oldest_seconds)}</Fact>
    </HealthCard>
  );
}

function BackupCard({ backup }: Pick<Health, 'backup'>) {
  const { moment, status, rehearsal, rehearsed } = backup;
  const isBad = status === 'Failed' || rehearsal === 'Failed';
  return (
    <HealthCard
      icon="shield"
      title={<PathLink to={paths.list('Backup Run')}>{t('Backup')}</PathLink>}
      figure={moment === null ? t('None') : formatRelative(moment)}
      isBad={isBad}
    >
      {backup.is_configured === 0 && <Fact label={t('Place')}>{t('Not set')}</Fact>}
      {status !== null && <Fact label={t('Last backup')}>{runWord(status)}</Fact>}
      <Fact label={t('Last rehearsal')}>{rehearsal === null ? '–' : runWord(rehearsal)}</Fact>
      {rehearsed !== null && <Fact label={t('Rehearsed')}>{formatRelative(rehearsed)}</Fact>}
    </HealthCard>
  );
}

function runWord(status: RunStatus): string {
  const words = { Succeeded: t('Succeeded'), Failed: t('Failed'), Skipped: t('Skipped') };
  return words[status];
}

function DiskCard({ disk }: { readonly disk: Disk }) {
  const used = disk.total - disk.free;
  const words = { data: t('Data'), database: t('Database'), files: t('Files') };
  const share = Math.round((100 * used) / Math.max(1, disk.total));
  return (
    <HealthCard
      icon="server"
      title={t('Disk')}
      figure={t('{size} free', { size: formatBytes(disk.free) })}
      isBad={disk.state !== 'ok'}
    >
      <div className={css['meter']} aria-hidden="true" data-state={disk.state}>
        <span style={{ inlineSize: `${share}%` }} />
      </div>
      <Fact label={t('Used')}>
        {t('{count} of {most}', { count: formatBytes(used), most: formatBytes(disk.total) })}
      </Fact>
      <Fact label={t('Holds')}>{disk.holds.map((one) => words[one]).join(', ')}</Fact>
      <Fact label={t('Path')}>
        <code dir="ltr">{disk.path}</code>
      </Fact>
    </HealthCard>
  );
}

/** Milliseconds with a digit below ten. */
export function millis(value: number): string {
  return t('{count} ms', { count: formatNumber(value, value < 10 ? 1 : 0) });
}

function HealthCard(props: {
  readonly icon: IconName;
  readonly title: ReactNode;
  readonly figure: string;
  readonly isBad?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <section className={css['card']} data-bad={props.isBad || undefined}>
      <h2>
        <Icon name={props.icon} />
        {props.title}
      </h2>
      <p className={css['figure']}>{props.figure}</p>
      <div className={css['facts']}>{props.children}</div>
    </section>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={css['fact']}>
      <span>{label}</span>
      <span>{children}</span>
    </div>
  );
}

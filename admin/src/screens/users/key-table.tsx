import { formatDatetime, formatRelative } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { IconButton } from '../../widgets/button.tsx';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { Badge, type Tone } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack, Truncate } from '../../widgets/layout.tsx';
import { Menu } from '../../widgets/menu.tsx';
import { Table } from '../../widgets/table.tsx';
import type { KeyAction } from './key-actions.tsx';
import { type ApiKey, enableKey } from './key-data.ts';
import { hasFormerSecret, type KeyState, keyState } from './key-state.ts';
import css from './users.module.css';

interface KeyTableProps {
  readonly rows: readonly ApiKey[];
  readonly onEdit: (key: ApiKey) => void;
  readonly onAct: (action: KeyAction) => void;
}

/** Keys with their limits, last use and actions. */
export function KeyTable({ rows, onEdit, onAct }: KeyTableProps) {
  const now = Date.now();
  return (
    <Table
      label={t('List of API keys')}
      rows={rows}
      rowKey={(key) => key.name}
      columns={[
        { id: 'label', label: t('Label'), isHeader: true, cell: (key) => <KeyName of={key} /> },
        {
          id: 'state',
          label: t('State'),
          cell: (key) => (
            <div className={css['keyState']}>
              <State of={key} now={now} />
            </div>
          ),
        },
        {
          id: 'limits',
          label: t('Limits'),
          cell: (key) => (
            <div className={css['keyLimits']}>
              <Limits of={key} />
            </div>
          ),
        },
        {
          id: 'expires',
          label: t('Expires'),
          cell: ({ expiresOn }) => <Moment of={expiresOn} none={t('Never')} />,
        },
        {
          id: 'used',
          label: t('Last used'),
          cell: ({ lastUsed }) => <Moment of={lastUsed} none={t('Never')} />,
        },
        {
          id: 'actions',
          label: <span className="visually-hidden">{t('Actions')}</span>,
          cell: (key) => <Actions of={key} onEdit={onEdit} onAct={onAct} />,
        },
      ]}
    />
  );
}

function KeyName({ of }: { readonly of: ApiKey }) {
  return (
    <div className={css['keyName']}>
      <Truncate text={of.label || t('No label')} />
      <code>{of.name}</code>
    </div>
  );
}

const TONES: Readonly<Record<KeyState, Tone>> = { works: 'success', stopped: 'neutral', expired: 'warning' };

function State({ of, now }: { readonly of: ApiKey; readonly now: number }) {
  const state = keyState(of, now);
  const words = { works: t('Active'), stopped: t('Stopped'), expired: t('Expired') };
  return (
    <Stack gap={1}>
      <Row gap={1}>
        <Badge tone={TONES[state]}>{words[state]}</Badge>
      </Row>
      {hasFormerSecret(of, now) && (
        <Muted isSmall>{t('Old secret until {time}', { time: formatDatetime(of.formerUntil) })}</Muted>
      )}
    </Stack>
  );
}

function Limits({ of: { limits } }: { readonly of: ApiKey }) {
  const { isReadOnly, doctypes, methods, addresses } = limits;
  const shown = [
    isReadOnly && { text: t('Read only'), all: '' },
    doctypes.length > 0 && {
      text: tn(doctypes.length, '{count} doctype', '{count} doctypes'),
      all: doctypes.join(', '),
    },
    methods.length > 0 && {
      text: tn(methods.length, '{count} method', '{count} methods'),
      all: methods.join(', '),
    },
    addresses.length > 0 && {
      text: tn(addresses.length, '{count} address', '{count} addresses'),
      all: addresses.join(', '),
    },
  ].filter((one) => one !== false);
  if (shown.length === 0) return <Muted>{t('None')}</Muted>;
  return (
    <Row gap={1}>
      {shown.map(({ text, all }) => (
        <span key={text} title={all || undefined}>
          <Badge tone="info">{text}</Badge>
        </span>
      ))}
    </Row>
  );
}

function Moment({ of, none }: { readonly of: string; readonly none: string }) {
  if (of === '') return <Muted>{none}</Muted>;
  return (
    <time dateTime={of} title={formatDatetime(of, 'full')} className={css['nowrap']}>
      {formatRelative(of)}
    </time>
  );
}

function Actions({ of, onEdit, onAct }: Omit<KeyTableProps, 'rows'> & { readonly of: ApiKey }) {
  const enable = (isEnabled: boolean) => {
    enableKey(of.name, isEnabled).then(
      () => toast('success', isEnabled ? t('Key resumed') : t('Key stopped')),
      tellFailure,
    );
  };
  return (
    <Menu
      target={<IconButton icon="more" label={t('Actions of key {name}', { name: of.label || of.name })} />}
      items={[
        { label: t('Label and limits…'), icon: 'edit', run: () => onEdit(of) },
        { label: t('New secret…'), icon: 'refresh', run: () => onAct({ kind: 'rotate', key: of }) },
        of.isEnabled
          ? { label: t('Stop'), icon: 'pause', run: () => enable(false) }
          : { label: t('Resume'), icon: 'play', run: () => enable(true) },
        'divider',
        { label: t('Revoke…'), icon: 'trash', isDanger: true, run: () => onAct({ kind: 'revoke', key: of }) },
      ]}
    />
  );
}

import { useMemo, useState } from 'react';
import { t, tn } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { type BootDoctype, useBoot } from '../../data/boot.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Badge } from '../../widgets/feedback.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { Table } from '../../widgets/table.tsx';
import css from './doctypes.module.css';
import { RowCount } from './row-count.tsx';

/** Maximum rows shown. Users find the others by search. */
const MOST = 100;
const FIELD = 'doctype-search';

/** All doctypes that the user may read, with description, record count and link. */
export function Screen() {
  const { doctypes } = useBoot();
  const [typed, setTyped] = useState('');
  const all = useMemo(
    () => [...doctypes.values()].filter((one) => !one.istable && one.rights.has('read')).toSorted(byModule),
    [doctypes],
  );
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter((one) => {
    const text = `${one.name} ${t(one.name)} ${one.module}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  useShortcut('list', '/', t('Search'), () => document.getElementById(FIELD)?.focus());
  return (
    <Page
      title={t('Doctypes')}
      beside={<Muted>{tn(found.length, '{count} doctype', '{count} doctypes')}</Muted>}
    >
      <div className={css['search']}>
        <TextInput
          id={FIELD}
          type="search"
          aria-label={t('Search doctypes')}
          placeholder={t('Name or module')}
          start={<Icon name="search" />}
          value={typed}
          onChange={setTyped}
        />
      </div>
      {found.length === 0 ? (
        <EmptyState icon="search" title={all.length === 0 ? t('No doctypes to read') : t('Nothing found')}>
          {all.length === 0
            ? t('Ask an administrator for a role with read access.')
            : t('No doctype has {text} in its name or module.', { text: typed })}
        </EmptyState>
      ) : (
        <Stack gap={2}>
          <Table
            label={t('Doctypes')}
            rows={found.slice(0, MOST)}
            rowKey={(one) => one.name}
            columns={[
              { id: 'name', label: t('Name'), isHeader: true, cell: (one) => <Name doctype={one} /> },
              { id: 'module', label: t('Module'), cell: (one) => <Muted>{one.module}</Muted> },
              { id: 'kind', label: t('Kind'), cell: (one) => <Kinds doctype={one} /> },
              { id: 'count', label: t('Records'), isNumber: true, cell: (one) => <RowCount doctype={one} /> },
            ]}
          />
          {found.length > MOST && (
            <Muted>
              {tn(
                found.length - MOST,
                '{count} more. Search to find it',
                '{count} more. Search to find them',
              )}
            </Muted>
          )}
        </Stack>
      )}
    </Page>
  );
}

function Name({ doctype: { name, issingle } }: { readonly doctype: BootDoctype }) {
  return <PathLink to={issingle ? paths.record(name, name) : paths.list(name)}>{t(name)}</PathLink>;
}

function Kinds({ doctype }: { readonly doctype: BootDoctype }) {
  return (
    <Row gap={1}>
      {doctype.is_submittable && <Badge tone="info">{t('Submittable')}</Badge>}
      {doctype.is_tree && <Badge>{t('Tree')}</Badge>}
      {doctype.issingle && <Badge>{t('Single')}</Badge>}
      {doctype.is_virtual && <Badge>{t('Virtual')}</Badge>}
      {doctype.custom && <Badge tone="warning">{t('Custom')}</Badge>}
    </Row>
  );
}

function byModule(a: BootDoctype, b: BootDoctype): number {
  const weight = (one: BootDoctype) => (['Core', 'Custom', 'Integrations'].includes(one.module) ? 1 : 0);
  return weight(a) - weight(b) || a.module.localeCompare(b.module) || a.name.localeCompare(b.name);
}

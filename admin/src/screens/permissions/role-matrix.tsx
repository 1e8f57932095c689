import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t, tn } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { readMethod } from '../../data/api.ts';
import { RIGHT_NAMES } from '../../data/boot.ts';
import { keys } from '../../data/keys.ts';
import { Checkbox } from '../../widgets/checks.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted, Stack } from '../../widgets/layout.tsx';
import { Legend } from './legend.tsx';
import { MatrixGrid } from './matrix-grid.tsx';
import css from './permissions.module.css';
import { rowsOfRole, type ShownRow } from './shown-rows.ts';
import type { Matrix } from './use-permissions.ts';

/** Maximum rows shown; users find the others by search. */
const MOST = 50;

/** Doctypes and rights of one role. */
export function RoleMatrix({ matrix, role }: { readonly matrix: Matrix; readonly role: string }) {
  const [text, setText] = useState('');
  const [isAll, setAll] = useState(false);
  const rows = rowsOfRole(matrix, role, text, isAll || text !== '');
  return (
    <Stack>
      <div className={css['tools']}>
        <div className={css['pick']}>
          <TextInput
            type="search"
            aria-label={t('Search doctypes')}
            placeholder={t('Search doctypes')}
            start={<Icon name="search" />}
            value={text}
            onChange={setText}
          />
        </div>
        <Checkbox label={t('Also doctypes without rights')} isOn={isAll} onChange={setAll} />
        <UsersOfRole role={role} />
      </div>
      {rows.length === 0 ? (
        <EmptyState icon="lock" title={text === '' ? t('No rights yet') : t('Nothing found')}>
          {text === '' ? t('Show doctypes without rights to grant some.') : null}
        </EmptyState>
      ) : (
        <MatrixGrid
          label={t('Permissions of {role}', { role: t(role) })}
          matrix={matrix}
          rows={rows.slice(0, MOST)}
          columns={RIGHT_NAMES}
          subject={t('Doctype')}
          headOf={(row) => <DoctypeHead row={row} />}
          groupText={(group) => t(group)}
        />
      )}
      {rows.length > MOST && (
        <Muted>
          {tn(rows.length - MOST, '{count} more. Search to find it', '{count} more. Search to find them')}
        </Muted>
      )}
      <Legend />
    </Stack>
  );
}

function DoctypeHead({ row }: { readonly row: ShownRow }) {
  const details = [
    ...(row.permlevel > 0 ? [t('level {level}', { level: row.permlevel })] : []),
    ...(row.ifOwner ? [t('only own records')] : []),
  ];
  return (
    <span className={css['head']}>
      <span className={css['headText']}>
        <PathLink to={paths.permissions({ doctype: row.doctype })}>
          <bdi>{t(row.doctype)}</bdi>
        </PathLink>
        {details.length > 0 && <small>{details.join(' · ')}</small>}
      </span>
    </span>
  );
}

const USERS = 'frappe.core.page.permission_manager.permission_manager.get_users_with_role';

function UsersOfRole({ role }: { readonly role: string }) {
  const { data = [] } = useQuery({
    queryKey: keys.method(USERS, { role }),
    queryFn: ({ signal }) => readMethod<readonly string[]>(USERS, { role }, { signal }),
  });
  const [first, second, third, ...others] = data;
  if (first === undefined) return null;
  const shown = [first, second, third].filter((one) => one !== undefined);
  return (
    <Muted isSmall>
      {t('Users:')}{' '}
      {shown.map((user, index) => (
        <span key={user}>
          {index > 0 && ', '}
          <PathLink to={paths.user(user)}>{user}</PathLink>
        </span>
      ))}
      {others.length > 0 && ` ${t('and {count} more', { count: others.length })}`}
    </Muted>
  );
}

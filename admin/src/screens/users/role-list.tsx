import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t, tn } from '../../base/i18n.ts';
import { may } from '../../meta/permissions.ts';
import { Checkbox } from '../../widgets/checks.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { profilesQuery, rolesQuery } from './user-data.ts';
import { choosable, type UserRoles, withRole } from './user-roles.ts';
import css from './users.module.css';

/** From this number of roles on, the list has a search field. */
const MANY = 12;

interface RoleListProps {
  readonly roles: UserRoles;
  readonly onChange: (roles: UserRoles) => void;
}

/** The roles of a user, chosen one by one or by a profile. */
export function RoleList({ roles, onChange }: RoleListProps) {
  const { data: all, error, refetch } = useQuery(rolesQuery);
  const { data: profiles = [] } = useQuery({ ...profilesQuery, enabled: may('Role Profile', 'read') });
  const [text, setText] = useState('');
  const shown = choosable(all ?? [], roles, text);
  const isFixed = roles.profile !== '';
  return (
    <section className={css['part']} aria-label={t('Roles')}>
      <Stack>
        <Row isApart>
          <h2>{t('Roles')}</h2>
          <Muted isSmall>{tn(roles.names.length, '{count} role', '{count} roles')}</Muted>
        </Row>
        {(profiles.length > 0 || isFixed) && (
          <div className={css['profile']}>
            <Select
              label={t('Role profile')}
              description={t('The role profile sets these roles')}
              value={roles.profile}
              onChange={(next) => onChange({ ...roles, profile: next ?? '' })}
              choices={[
                { value: '', label: t('None') },
                ...[...new Set([...profiles, roles.profile])]
                  .filter(Boolean)
                  .map((name) => ({ value: name, label: name })),
              ]}
            />
          </div>
        )}
        {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
        {!all && !error && <Skeleton height={96} />}
        {(all?.length ?? 0) >= MANY && (
          <div className={css['search']}>
            <TextInput
              type="search"
              aria-label={t('Search roles')}
              placeholder={t('Search roles')}
              value={text}
              onChange={setText}
            />
          </div>
        )}
        <fieldset className={css['roleGrid']} aria-label={t('Roles')} disabled={isFixed}>
          {shown.map((role) => (
            <Checkbox
              key={role}
              label={<bdi>{role}</bdi>}
              isOn={roles.names.includes(role)}
              onChange={(isOn) => onChange(withRole(roles, role, isOn))}
            />
          ))}
        </fieldset>
        {all && shown.length === 0 && <Muted>{t('Nothing found')}</Muted>}
      </Stack>
    </section>
  );
}

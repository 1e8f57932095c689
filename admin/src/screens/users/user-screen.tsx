import { useQuery } from '@tanstack/react-query';
import { formatDatetime } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink, useRouteParams } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useUser } from '../../data/boot.ts';
import { useFreshness } from '../../data/events.ts';
import { may } from '../../meta/permissions.ts';
import { Alert, Badge, Skeleton } from '../../widgets/feedback.tsx';
import { Card, Muted, Row } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { ScreenProblem } from '../../widgets/screen-problem.tsx';
import { ApiKeys } from './api-keys.tsx';
import { Sessions } from './sessions.tsx';
import { UserActions } from './user-actions.tsx';
import { type User, userPermissionsQuery, userQuery } from './user-data.ts';
import { UserForm } from './user-form.tsx';

/** One user: details, roles, sessions and keys. */
export function Screen() {
  useFreshness(['User']);
  const { name = '' } = useRouteParams();
  const { data, error, refetch } = useQuery(userQuery(name));
  const trail = [{ label: t('Users'), path: paths.users() }];
  if (!data) {
    if (error)
      return <ScreenProblem error={error} onRetry={() => void refetch()} title={name} trail={trail} />;
    return (
      <Page title={name} trail={trail} isNarrow>
        <Skeleton height={320} />
      </Page>
    );
  }
  return (
    <Page
      title={data.fullName}
      trail={trail}
      isNarrow
      beside={data.isEnabled ? <Badge tone="success">{t('Enabled')}</Badge> : <Badge>{t('Disabled')}</Badge>}
      actions={<UserActions user={data} />}
    >
      <Overview user={data} />
      <UserForm key={data.name} user={data} />
      <Rest user={data} />
    </Page>
  );
}

function Overview({ user }: { readonly user: User }) {
  const when = (timestamp: string) => (timestamp === '' ? t('never') : formatDatetime(timestamp));
  return (
    <Row gap={4}>
      <Muted>
        <bdi>{user.name}</bdi>
      </Muted>
      <Muted>{t('Last sign-in: {time}', { time: when(user.lastLogin) })}</Muted>
    </Row>
  );
}

function Rest({ user }: { readonly user: User }) {
  const me = useUser();
  // Only the owner and System Managers may see keys and sessions.
  if (!me.isSystemManager && me.name !== user.name) return null;
  return (
    <>
      {!user.isEnabled && <Alert tone="warning">{t('A disabled user cannot use keys or sessions.')}</Alert>}
      {may('User Permission', 'read') && <Narrowed user={user.name} />}
      <Card label={t('Sessions')}>
        <Sessions user={user.name} />
      </Card>
      <Card label={t('API keys')}>
        <ApiKeys user={user.name} />
      </Card>
    </>
  );
}

function Narrowed({ user }: { readonly user: string }) {
  const { data } = useQuery(userPermissionsQuery(user));
  const link = paths.permissions({ tab: 'users', user });
  return (
    <Card label={t('User permissions')}>
      <Row isApart>
        <h2>{t('User permissions')}</h2>
        <PathLink to={link}>{t('Show user permissions')}</PathLink>
      </Row>
      <Muted>
        {data === undefined
          ? '…'
          : data.count === 0
            ? t('None. The roles alone decide which documents the user sees.')
            : t('{count} set. They limit the documents this user sees.', { count: data.count })}
      </Muted>
      <p>
        <PathLink to={paths.permissions({ tab: 'why', user })}>
          {t('Why can or can’t this user do something?')}
        </PathLink>
      </p>
    </Card>
  );
}

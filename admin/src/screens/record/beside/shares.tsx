import { useQuery } from '@tanstack/react-query';
import { formatList } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import { Button, IconButton } from '../../../widgets/button.tsx';
import { DocumentPicker } from '../../../widgets/document-picker.tsx';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { Skeleton } from '../../../widgets/feedback.tsx';
import { Muted } from '../../../widgets/layout.tsx';
import { Menu, type MenuItem } from '../../../widgets/menu.tsx';
import { Adding } from './adding.tsx';
import { UserName } from './chips.tsx';
import css from './marks.module.css';
import { Part, type RailPartProps } from './rail-part.tsx';
import {
  SHARED_RIGHTS,
  type SharedRight,
  type SharedWith,
  setSharedRight,
  share,
  sharesQuery,
  unshare,
} from './share-data.ts';
import { useMark } from './use-mark.ts';

/** Who may open the document besides those whose roles allow it. */
export function SharesPart(props: RailPartProps) {
  const { meta } = props.bundle;
  if (meta.issingle || meta.is_virtual || meta.name === 'DocShare') return null;
  return <Shares {...props} />;
}

function Shares({ bundle, doc, rights, refresh }: RailPartProps) {
  const { data, error, refetch } = useQuery(sharesQuery(doc));
  const mark = useMark(refresh);
  const canShare = rights.has('share');
  if (!canShare && (data ?? []).length === 0 && !error) return null;
  const given = SHARED_RIGHTS.filter(
    (right) => rights.has(right) && (right !== 'submit' || bundle.meta.is_submittable),
  );
  const add = (user: string | null) => {
    if (user !== '') mark.change(() => share(doc, user), t('Shared with {name}', { name: nameOf(user) }));
  };
  return (
    <Part title={t('Shared with')}>
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={24} />}
      <ul className={css['shares']} aria-label={t('Shared with')}>
        {data?.map((one) => (
          <ShareRow
            key={one.user ?? ''}
            shared={one}
            menu={canShare ? menuOf(doc, one, given, mark) : null}
          />
        ))}
      </ul>
      {mark.error !== null && <ErrorPanel error={mark.error} />}
      {canShare && (
        <Adding
          label={t('Share')}
          others={
            data?.every(({ user }) => user !== null) && (
              <Button kind="quiet" icon="users" isBusy={mark.isBusy} onClick={() => add(null)}>
                {t('Share with everyone')}
              </Button>
            )
          }
        >
          <DocumentPicker doctype="User" autoFocus label={t('Share with')} value="" onChange={add} />
        </Adding>
      )}
    </Part>
  );
}

interface ShareRowProps {
  readonly shared: SharedWith;
  readonly menu: readonly MenuItem[] | null;
}

function ShareRow({ shared: { user, rights }, menu }: ShareRowProps) {
  const words = { write: t('change'), submit: t('submit'), share: t('share') };
  const can = [t('read'), ...SHARED_RIGHTS.filter((right) => rights.has(right)).map((right) => words[right])];
  return (
    <li className={css['share']}>
      <div className={css['whom']}>
        <span className={css['chipText']} dir="auto">
          {user === null ? t('Everyone who is signed in') : <UserName user={user} />}
        </span>
        <Muted isSmall>{formatList(can)}</Muted>
      </div>
      {menu && (
        <Menu
          label={t('Rights of {name}', { name: nameOf(user) })}
          target={
            <IconButton
              isSmall
              icon="more"
              hasTooltip={false}
              label={t('Rights of {name}', { name: nameOf(user) })}
            />
          }
          items={menu}
        />
      )}
    </li>
  );
}

function menuOf(
  doc: RailPartProps['doc'],
  { user, rights }: SharedWith,
  given: readonly SharedRight[],
  { change }: ReturnType<typeof useMark>,
): readonly MenuItem[] {
  const labels = { write: t('Can change it'), submit: t('Can submit it'), share: t('Can share it') };
  const name = nameOf(user);
  return [
    ...given.map((right) => ({
      label: labels[right],
      isChecked: rights.has(right),
      run: () =>
        change(
          () => setSharedRight(doc, user, right, !rights.has(right)),
          t('Rights of {name} changed', { name }),
        ),
    })),
    {
      label: t('End the share'),
      icon: 'trash',
      isDanger: true,
      run: () => change(() => unshare(doc, user), t('No longer shared with {name}', { name })),
    },
  ];
}

function nameOf(user: string | null): string {
  return user ?? t('Everyone who is signed in');
}

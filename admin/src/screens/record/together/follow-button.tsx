import { useQuery } from '@tanstack/react-query';
import { announce } from '../../../base/announce.ts';
import { t } from '../../../base/i18n.ts';
import { useStore } from '../../../base/store.ts';
import { useTask } from '../../../base/use-task.ts';
import { useFreshness } from '../../../data/events.ts';
import { FOLLOWS, follow, followQuery } from '../../../data/follows.ts';
import { hasMarks } from '../../../data/marks.ts';
import { queryClient } from '../../../data/query-client.ts';
import type { RecordModel } from '../../../form/record.ts';
import { tellFailure } from '../../../widgets/error-panel.tsx';
import { Icon } from '../../../widgets/icon.tsx';
import { Tooltip } from '../../../widgets/tooltip.tsx';
import css from './together.module.css';

/** Notifies the user of changes and comments of the document, or no longer. */
export function FollowButton({ model }: { readonly model: RecordModel }) {
  const { stored } = useStore(model.state);
  const { meta } = model.bundle;
  const name = stored?.name ?? '';
  const isPossible = name !== '' && hasMarks(meta);
  const query = followQuery(meta.name, name);
  const { data: isFollowing } = useQuery({ ...query, enabled: isPossible });
  useFreshness(isPossible ? [FOLLOWS] : []);
  const task = useTask();
  if (!isPossible || isFollowing === undefined) return null;
  const toggle = () =>
    void task.run(async () => {
      await follow(meta.name, name, !isFollowing);
      queryClient.setQueryData(query.queryKey, !isFollowing);
      announce(isFollowing ? t('No longer following') : t('Following'));
    }, tellFailure);
  const hint = isFollowing
    ? t('You are notified of changes and comments. Press to stop.')
    : t('Be notified of changes and comments');
  return (
    <Tooltip label={hint}>
      <button type="button" className={css['follow']} aria-pressed={isFollowing} onClick={toggle}>
        <Icon name={isFollowing ? 'check' : 'bell'} size={14} />
        {isFollowing ? t('Following') : t('Follow')}
      </button>
    </Tooltip>
  );
}

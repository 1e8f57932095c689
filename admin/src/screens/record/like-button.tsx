import { formatList, formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import { useTask } from '../../base/use-task.ts';
import { useUser } from '../../data/boot.ts';
import { hasMarks, like, usersIn } from '../../data/marks.ts';
import type { RecordModel } from '../../form/record.ts';
import { useTitleOf, wantTitles } from '../../meta/link-titles.ts';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { Tooltip } from '../../widgets/tooltip.tsx';
import css from './record.module.css';

/** Names in the hint; further users are a number. */
const NAMES = 10;

/** Likes the document, or withdraws the like. Shows how many users like it, and who. */
export function LikeButton({ model }: { readonly model: RecordModel }) {
  const { stored } = useStore(model.state);
  const me = useUser().name;
  const task = useTask();
  const titleOf = useTitleOf();
  if (!stored || !hasMarks(model.bundle.meta)) return null;
  const users = usersIn(stored['_liked_by']);
  const isLiked = users.includes(me);
  const shown = users.slice(0, NAMES);
  const more = users.length - shown.length;
  const names = shown.map((user) => titleOf('User', user) ?? user);
  const who = formatList(more > 0 ? [...names, t('{count} more', { count: more })] : names);
  const label = users.length === 0 ? t('Like') : t('Liked by {names}', { names: who });
  const toggle = () =>
    void task.run(async () => {
      await like(stored, !isLiked);
      await model.refresh();
    }, tellFailure);
  return (
    <Tooltip label={label}>
      <button
        type="button"
        className={css['like']}
        aria-pressed={isLiked}
        onMouseEnter={() => wantTitles('User', shown)}
        onFocus={() => wantTitles('User', shown)}
        onClick={toggle}
      >
        <Icon name="heart" size={16} />
        {users.length > 0 && formatNumber(users.length)}
        <span className="visually-hidden">{` ${label}`}</span>
      </button>
    </Tooltip>
  );
}

import { t } from '../../../base/i18n.ts';
import css from './mentions.module.css';
import type { useMentions } from './use-mentions.ts';

// The text may be the last line of the window.
const intoView = (list: HTMLElement | null) => list?.scrollIntoView({ block: 'nearest' });

/** The users to choose from for a mention. The focus stays in the text. */
export function MentionList({ mentions }: { readonly mentions: ReturnType<typeof useMentions> }) {
  const { choices, active, listId, optionId, pick } = mentions;
  if (choices.length === 0) return null;
  return (
    <div
      ref={intoView}
      className={css['choices']}
      id={listId}
      role="listbox"
      aria-label={t('Users to mention')}
    >
      {choices.map((choice, at) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the text keeps the focus, aria-activedescendant tells it
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the text
        <div
          key={choice.id}
          id={optionId(at)}
          role="option"
          aria-selected={at === active}
          className={css['choice']}
          // A press would take the focus from the text.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => pick(choice)}
        >
          <bdi>{choice.value}</bdi>
          {choice.id !== choice.value && <bdi className={css['id']}>{choice.id}</bdi>}
        </div>
      ))}
    </div>
  );
}

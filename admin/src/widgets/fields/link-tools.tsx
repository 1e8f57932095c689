import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { may } from '../../meta/permissions.ts';
import { Icon } from '../icon.tsx';
import css from './fields.module.css';

interface ToolsProps {
  readonly name: string;
  readonly title: string;
  readonly target: string;
  readonly onClear: (() => void) | null;
}

/** The buttons at the end of a link's field: clear it, and open its document. */
export function LinkTools({ name, title, target, onClear }: ToolsProps) {
  return (
    <span className={css['tools']}>
      {onClear && (
        <button
          type="button"
          className={css['tool']}
          aria-label={t('Clear')}
          // Keyboards clear the text instead: one stop less on the way through a form.
          tabIndex={-1}
          // Keeps the focus in the field, so that the incomplete text is not committed.
          onMouseDown={(event) => event.preventDefault()}
          onClick={onClear}
        >
          <Icon name="close" size={14} />
        </button>
      )}
      {may(target, 'read') && (
        <PathLink
          className={css['tool']}
          to={paths.record(target, name)}
          aria-label={t('Open {text}', { text: title })}
        >
          <Icon name="end" size={14} />
        </PathLink>
      )}
    </span>
  );
}

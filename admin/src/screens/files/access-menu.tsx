import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { Menu } from '../../widgets/menu.tsx';
import { accessWords } from './access-words.ts';

/** Who may read new files. Says in words what public means. */
export function AccessMenu({
  isPrivate,
  onPrivate,
}: {
  readonly isPrivate: boolean;
  readonly onPrivate: (isPrivate: boolean) => void;
}) {
  return (
    <Menu
      label={t('New files')}
      target={
        <Button icon={isPrivate ? 'lock' : 'globe'} endIcon="down">
          {isPrivate ? t('New files are private') : t('New files are public')}
        </Button>
      }
      items={[
        { label: accessWords(true), icon: 'lock', isChecked: isPrivate, run: () => onPrivate(true) },
        { label: accessWords(false), icon: 'globe', isChecked: !isPrivate, run: () => onPrivate(false) },
      ]}
    />
  );
}

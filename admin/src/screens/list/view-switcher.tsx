import { t } from '../../base/i18n.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import type { ViewType } from '../../grid/list-search.ts';
import { useNarrow } from '../../grid/use-narrow.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { Menu } from '../../widgets/menu.tsx';
import css from './view-switcher.module.css';
import type { ViewChoice } from './view-types.ts';

export interface ViewSwitcherProps {
  readonly choices: readonly ViewChoice[];
  readonly value: ViewType;
  readonly onChange: (type: ViewType) => void;
}

/** Switches a list between table, report, board, calendar and gallery. */
export function ViewSwitcher({ choices, value, onChange }: ViewSwitcherProps) {
  const isNarrow = useNarrow();
  const current = choices.find(({ type }) => type === value);
  return (
    <>
      {choices.map((choice) => (
        <Key key={choice.type} choice={choice} onPress={() => onChange(choice.type)} />
      ))}
      {isNarrow ? (
        <Menu
          label={t('View as')}
          target={<Button endIcon="down">{current?.label ?? t('View as')}</Button>}
          items={choices.map(({ type, label }) => ({
            label,
            isChecked: type === value,
            run: () => onChange(type),
          }))}
        />
      ) : (
        <fieldset className={css['switcher']} aria-label={t('View as')}>
          {choices.map(({ type, label, icon }) => (
            <IconButton
              key={type}
              isSmall
              icon={icon}
              label={label}
              aria-pressed={type === value}
              onClick={() => onChange(type)}
            />
          ))}
        </fieldset>
      )}
    </>
  );
}

function Key({ choice, onPress }: { readonly choice: ViewChoice; readonly onPress: () => void }) {
  useShortcut('list', choice.keys, t('View as {type}', { type: choice.label }), onPress);
  return null;
}

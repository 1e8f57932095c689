import { useEffect, useId, useLayoutEffect, useRef } from 'react';
import { t, tn } from '../../base/i18n.ts';
import { Spinner } from '../../widgets/feedback.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { Keys } from '../../widgets/kbd.tsx';
import { Hidden } from '../../widgets/layout.tsx';
import css from './palette.module.css';
import { PaletteOption } from './palette-option.tsx';
import { usePalette } from './use-palette.ts';

/**
 * The command palette: finds commands and records by a few typed letters. It comes with the page and is a
 * dialog of the browser, so it has the focus before the key after Ctrl+K is pressed.
 */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const palette = usePalette(onClose);
  const { typed, commands, chosen } = palette;
  const dialog = useModal();
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    list.current?.querySelector(`[data-at="${chosen}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too, as the browser's `cancel`
    <dialog
      ref={dialog}
      className={css['palette']}
      aria-label={t('Search and commands')}
      onCancel={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <div className={css['box']}>
        <div className={css['search']}>
          {palette.isSearching ? <Spinner /> : <Icon name="search" size={18} />}
          <input
            className={css['input']}
            role="combobox"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={commands.length > 0 ? `${id}-${chosen}` : undefined}
            aria-label={t('Search and commands')}
            placeholder={t('Search records, screens and actions')}
            autoComplete="off"
            spellCheck={false}
            maxLength={140}
            value={typed}
            onChange={(event) => palette.type(event.currentTarget.value)}
            onKeyDown={palette.press}
          />
        </div>
        <div ref={list} id={`${id}-list`} role="listbox" aria-label={t('Results')} className={css['list']}>
          {commands.map((command, index) => (
            <PaletteOption
              key={command.id}
              command={command}
              typed={typed}
              id={`${id}-${index}`}
              index={index}
              isChosen={index === chosen}
              isFirst={command.group !== commands[index - 1]?.group}
              onRun={palette.run}
              onPoint={palette.choose}
            />
          ))}
        </div>
        <Status count={commands.length} isSearching={palette.isSearching} />
        <Help />
      </div>
    </dialog>
  );
}

/** Opens the dialog as it is mounted. Closing it gives the focus back to the element that had it. */
function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => opened?.close();
  }, []);
  return dialog;
}

function Status({ count, isSearching }: { readonly count: number; readonly isSearching: boolean }) {
  if (count > 0)
    return (
      <div role="status">
        <Hidden>{tn(count, '{count} result', '{count} results')}</Hidden>
      </div>
    );
  return (
    <div role="status" className={css['none']}>
      {isSearching ? t('Searching…') : t('Nothing found')}
    </div>
  );
}

function Help() {
  return (
    <div className={css['help']} aria-hidden="true">
      <span>
        <Keys keys="ArrowUp" /> <Keys keys="ArrowDown" /> {t('to choose')}
      </span>
      <span>
        <Keys keys="Enter" /> {t('to open')}
      </span>
      <span>
        <Keys keys="Escape" /> {t('to close')}
      </span>
    </div>
  );
}

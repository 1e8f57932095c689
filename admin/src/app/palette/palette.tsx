import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { type Command, commandSearches, commandSources } from '../../base/commands.ts';
import { t, tn } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import { Modal } from '../../widgets/dialogs.tsx';
import { Keys } from '../../widgets/kbd.tsx';
import { Muted, Truncate } from '../../widgets/layout.tsx';
import { matching } from './match.ts';
import css from './palette.module.css';

/** The number of results shown. */
const MOST = 40;
/** Debounce of the record search, in milliseconds. */
const REST = 150;

interface PaletteProps {
  /** Text typed before the palette had loaded. */
  readonly typedBefore: string;
  readonly onClose: () => void;
}

/** The command palette: finds commands and records by a few typed letters. */
export function Palette({ typedBefore, onClose }: PaletteProps) {
  const [typed, setTyped] = useState(typedBefore);
  const [at, setAt] = useState(0);
  const sources = useStore(commandSources);
  const found = useFound(typed);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const commands = useMemo(() => {
    // Commands of the screen register last and come first.
    const all = [...sources.values()].reverse().flat();
    return [...matching(all, typed, MOST), ...found];
  }, [sources, typed, found]);
  const chosen = Math.min(at, commands.length - 1);
  useEffect(() => {
    list.current?.querySelector(`[data-at="${chosen}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const last = commands.length - 1;
      // Single steps wrap around at both ends.
      const wrapped = chosen + step > last ? 0 : last;
      const next = chosen + step;
      setAt(next >= 0 && next <= last ? next : Math.abs(step) === 1 ? wrapped : step > 0 ? last : 0);
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      run(commands[chosen]);
    }
  };
  return (
    <Modal isOpen onClose={onClose} title={t('Search and commands')} width={640}>
      <input
        className={css['input']}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={commands.length > 0 ? `${id}-${chosen}` : undefined}
        aria-label={t('Search and commands')}
        placeholder={t('Screen, doctype, record or action…')}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        data-autofocus
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={t('Results')} className={css['list']}>
        {commands.map((command, index) => (
          <Option
            key={command.id}
            command={command}
            id={`${id}-${index}`}
            index={index}
            isChosen={index === chosen}
            heading={command.group === commands[index - 1]?.group ? null : command.group}
            onRun={() => run(command)}
            onPoint={() => setAt(index)}
          />
        ))}
      </div>
      <div role="status">
        {commands.length === 0 ? (
          <Muted>{t('Nothing found')}</Muted>
        ) : (
          <span className="visually-hidden">{tn(commands.length, '{count} result', '{count} results')}</span>
        )}
      </div>
    </Modal>
  );
}

interface OptionProps {
  readonly command: Command;
  readonly id: string;
  readonly index: number;
  readonly isChosen: boolean;
  readonly heading: string | null;
  readonly onRun: () => void;
  readonly onPoint: () => void;
}

function Option({ command, id, index, isChosen, heading, onRun, onPoint }: OptionProps) {
  return (
    <>
      {heading !== null && (
        <div className={css['group']} role="presentation">
          {heading}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys */}
      <div
        id={id}
        role="option"
        tabIndex={-1}
        aria-selected={isChosen}
        data-at={index}
        className={css['option']}
        onClick={onRun}
        onPointerMove={onPoint}
      >
        <Truncate text={command.label} />
        {command.detail && <Truncate text={command.detail} className={css['detail']} />}
        {command.keys && <Keys keys={command.keys} />}
      </div>
    </>
  );
}

/** Records and other results that the server finds while the user types. */
function useFound(typed: string): readonly Command[] {
  const searches = useStore(commandSearches);
  const [found, setFound] = useState<readonly Command[]>([]);
  useEffect(() => {
    const text = typed.trim();
    setFound([]);
    if (text.length < 2) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      for (const search of searches)
        search(text, stop.signal).then(
          (more) => !stop.signal.aborted && setFound((before) => [...before, ...more]),
          // A failed search shows no results: the palette has no room for errors.
          () => {},
        );
    }, REST);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [typed, searches]);
  return found;
}

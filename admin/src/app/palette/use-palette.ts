import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { type Command, commandSources } from '../../base/commands.ts';
import { useGo } from '../../base/navigation.tsx';
import { hrefOf } from '../../base/paths.ts';
import { useStore } from '../../base/store.ts';
import { useBoot } from '../../data/boot.ts';
import { grouped, matching } from './match.ts';
import { recentCommands, searchRecords } from './record-search.ts';

/** The number of results shown, and of each group once something is typed. */
const MOST = 60;
const EACH = 8;
/** Debounce of the record search, in milliseconds. */
const REST = 120;
/** Shorter texts are in most records. */
const SHORTEST = 2;

/** What the palette knows: the commands that match, the chosen one, and what the keys do. */
export function usePalette(onClose: () => void) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const boot = useBoot();
  const go = useGo();
  const sources = useStore(commandSources);
  const { found, isSearching } = useFound(typed);
  const commands = useMemo(() => {
    // Commands of the screen register last and come first.
    const all = [...sources.values()].reverse().flat();
    if (typed.trim() === '')
      return grouped([...recentCommands(boot, go, location.pathname), ...all], MOST).slice(0, MOST);
    return [...grouped(matching(all, typed, MOST), EACH), ...found];
  }, [sources, typed, found, boot, go]);
  const chosen = Math.min(at, commands.length - 1);
  // Enter before the server has answered opens the first record when it has.
  const isWaiting = useRef(false);
  const run = (command: Command, isNewTab = false) => {
    if (isNewTab && command.path !== undefined) return void window.open(hrefOf(command.path), '_blank');
    onClose();
    command.run();
  };
  useEffect(() => {
    const [first] = found;
    if (!isWaiting.current || isSearching) return;
    isWaiting.current = false;
    if (first) run(first);
  });
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt(stepped(chosen, step, commands.length - 1));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      const command = commands[chosen];
      if (command) run(command, event.ctrlKey || event.metaKey);
      else isWaiting.current = isSearching;
    } else if (event.key === 'Tab') event.preventDefault();
  };
  const type = (text: string) => {
    isWaiting.current = false;
    setTyped(text);
    setAt(0);
  };
  return { typed, type, commands, chosen, choose: setAt, isSearching, press, run };
}

/** Single steps wrap around at both ends; pages stop there. */
function stepped(from: number, step: number, last: number): number {
  const next = from + step;
  if (next >= 0 && next <= last) return next;
  const isForward = step > 0;
  return (Math.abs(step) === 1) === isForward ? 0 : last;
}

/** Records that the server finds. While it searches, those found before that still match are shown. */
function useFound(typed: string): { readonly found: readonly Command[]; readonly isSearching: boolean } {
  const boot = useBoot();
  const go = useGo();
  const text = typed.trim();
  const [answer, setAnswer] = useState<{ text: string; found: readonly Command[] }>({ text: '', found: [] });
  useEffect(() => {
    if (text.length < SHORTEST) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      searchRecords(boot, go, text, stop.signal).then(
        (found) => setAnswer({ text, found }),
        // A failed search shows no results: the palette has no room for errors.
        () => !stop.signal.aborted && setAnswer({ text, found: [] }),
      );
    }, REST);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, boot, go]);
  if (text.length < SHORTEST) return { found: [], isSearching: false };
  if (answer.text === text) return { found: answer.found, isSearching: false };
  return { found: matching(answer.found, text, MOST), isSearching: true };
}

import { useQuery } from '@tanstack/react-query';
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { announce } from '../../../base/announce.ts';
import { tn } from '../../../base/i18n.ts';
import { readMethod } from '../../../data/api.ts';
import { keys } from '../../../data/keys.ts';
import { apart, fits, type Mentioned, type Typed, typedMention, withMention } from './mentions.ts';

const METHOD = 'frappe.desk.search.get_names_for_mentions';
const TYPING = 120;
const NONE: readonly Mentioned[] = [];

interface Typing {
  readonly doctype: string;
  readonly name: string;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly input: RefObject<HTMLTextAreaElement | null>;
}

/** Offers users while `@` and a name are typed. */
export function useMentions({ doctype, name, text, setText, input }: Typing) {
  const id = useId();
  const [typed, setTyped] = useState<Typed | null>(null);
  const [active, setActive] = useState(0);
  const [mentioned, setMentioned] = useState<readonly Mentioned[]>(NONE);
  const caret = useRef<number | null>(null);
  const choices = useChoices(doctype, name, typed);
  const isOpen = choices.length > 0;
  useEffect(() => {
    setActive(0);
    if (choices.length > 0)
      announce(tn(choices.length, '{count} user to mention', '{count} users to mention'));
  }, [choices.length]);
  // React puts the caret at the end of a text that it sets.
  useLayoutEffect(() => {
    if (caret.current !== null) input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  });
  const look = () => {
    const box = input.current;
    setTyped(box ? typedMention(box.value, box.selectionStart) : null);
  };
  const pick = (choice: Mentioned | undefined) => {
    if (!choice || !typed) return;
    const chosen = apart(choice, mentioned);
    const next = withMention(text, typed, chosen);
    caret.current = next.caret;
    setText(next.text);
    setMentioned([...mentioned.filter((one) => one.id !== chosen.id), chosen]);
    setTyped(null);
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!isOpen || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return false;
    const step = STEPS[event.key];
    if (step !== undefined) setActive((active + step + choices.length) % choices.length);
    else if (event.key === 'Enter' || event.key === 'Tab') pick(choices[active]);
    else if (event.key === 'Escape') setTyped(null);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const optionId = (at: number) => `${id}-${at}`;
  return {
    choices,
    active,
    mentioned,
    pick,
    look,
    onKeyDown,
    optionId,
    close: () => setTyped(null),
    forget: () => setMentioned(NONE),
    inputProps: {
      'aria-autocomplete': 'list',
      'aria-controls': isOpen ? id : undefined,
      'aria-activedescendant': isOpen ? optionId(active) : undefined,
    } as const,
    listId: id,
  };
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

// The users of an earlier text stay while the next ones load, as far as they fit.
function useChoices(doctype: string, name: string, typed: Typed | null): readonly Mentioned[] {
  const [sought, setSought] = useState<string | null>(null);
  const part = typed?.text ?? null;
  useEffect(() => {
    const timer = setTimeout(() => setSought(part), part === null ? 0 : TYPING);
    return () => clearTimeout(timer);
  }, [part]);
  const args = { doctype, name, search_term: sought?.trim() ?? '' };
  const { data } = useQuery({
    queryKey: keys.method(METHOD, args),
    queryFn: ({ signal }) => readMethod<readonly Mentioned[]>(METHOD, args, { signal }),
    enabled: sought !== null && part !== null,
    placeholderData: (before) => before,
  });
  return part === null || !data ? NONE : data.filter((one) => fits(one, part.trim()));
}

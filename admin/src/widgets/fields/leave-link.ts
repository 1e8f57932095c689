import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { type Choice, isFound, type LinkList, meantBy } from './link-list.ts';

interface Left {
  readonly props: ControlProps;
  readonly target: string;
  readonly list: LinkList;
  /** The typed text; null if nothing was typed. */
  readonly text: string | null;
  /** True after Enter or Tab, which take the highlighted document. */
  readonly takes: boolean;
  readonly choose: (name: string | null) => void;
  readonly close: () => void;
  /** Shows the value again instead of the typed text. */
  readonly clear: () => void;
}

/**
 * Resolves the text of a link's field that the user has left. Without Enter or Tab, only a complete name or title
 * counts as a choice.
 */
export async function leaveLink(left: Left): Promise<void> {
  const { props, list, text, takes, choose, close, clear } = left;
  const typed = text?.trim() ?? '';
  if (typed === '' && !(takes && isFound(list.choiceNow()))) {
    if (text !== null) return choose(null);
    close();
    return props.onCommit?.();
  }
  list.look(typed);
  const { isLoading, found } = list.state.get();
  clear();
  if (!isLoading) {
    settle(left, typed, takes ? list.choiceNow() : meantBy(typed, found));
    return list.look(null);
  }
  // The typed text stays until its answer arrives, unless the user goes on here.
  props.onChange(typed);
  const known = takes ? await list.choice() : meantBy(typed, await list.found());
  const now = props.valueOf(props.field.fieldname);
  if (list.state.get().text === typed && (now === undefined || now === typed)) settle(left, typed, known);
}

function settle({ props, target, list }: Left, typed: string, found: Choice | null | undefined): void {
  props.onChange(isFound(found) ? found.value : typed);
  if (!isFound(found) && list.state.get().error === null)
    props.onProblem?.(t('No {doctype} “{text}”', { doctype: t(target), text: typed }));
  props.onCommit?.();
}

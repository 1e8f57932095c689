import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { toast } from '../../base/toasts.ts';
import { type Task, useTask } from '../../base/use-task.ts';
import { ApiError, isApiError } from '../../data/api-error.ts';
import { loadBoot } from '../../data/boot.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';
import { type Design, type Plan, planDesign, readDesign, saveDesign, type Wanted } from './design-data.ts';
import type { DesignStore } from './design-store.ts';
import { rebased } from './differences.ts';
import { childrenOf, definitionOf, draftOf, isOn, textOf } from './draft.ts';
import { withTitle } from './new-draft.ts';

/** Saving a design: the plan that waits for consent, and a conflict that waits for a choice. */
export interface Saving {
  readonly task: Task;
  readonly plan: Plan | null;
  readonly conflict: Design | null;
  /** A new doctype that is saved, or one that is deleted, does not ask before it is left. */
  readonly isDone: boolean;
  readonly finish: () => void;
  /** Asks for the plan. A new doctype is saved at once. */
  readonly start: () => void;
  /** Saves what was planned. */
  readonly apply: (lose: readonly string[]) => Promise<void>;
  readonly dismiss: () => void;
  /** Ends a conflict: with my changes on top of theirs, or without them. */
  readonly settle: (isKeeping: boolean) => void;
}

/** Saves the design of a store. */
export function useSaving(store: DesignStore): Saving {
  const go = useGo();
  const task = useTask();
  const [plan, setPlan] = useState<Plan | null>(null);
  const [conflict, setConflict] = useState<Design | null>(null);
  const [isDone, setDone] = useState(false);
  const guarded = async (work: () => Promise<void>) => {
    store.setProblems(new Map());
    try {
      await work();
    } catch (error) {
      if (isApiError(error, 'TimestampMismatchError') && store.design) {
        setPlan(null);
        setConflict(await readDesign(store.design.name));
        return;
      }
      setPlan(null);
      showProblems(store, error);
      throw error;
    }
  };
  const settleSaved = async (wanted: Wanted) => {
    const isNew = store.design === null;
    await refresh(wanted);
    if (!isNew) {
      const design = await readDesign(wanted.doctype);
      store.adopt(design, draftOf(design.definition, true));
      setPlan(null);
      toast('success', t('{doctype} is saved', { doctype: t(wanted.doctype) }));
      return;
    }
    setDone(true);
    toast('success', t('{doctype} is ready', { doctype: wanted.doctype }));
    setTimeout(() => go(nextScreen(wanted), { isReplacing: true }));
  };
  const save = (lose: readonly string[]) =>
    guarded(async () => {
      const wanted = wantedOf(store);
      await saveDesign({ ...wanted, lose });
      await settleSaved(wanted);
    });
  const start = () =>
    void task.run(() =>
      store.design === null ? save([]) : guarded(async () => setPlan(await planDesign(wantedOf(store)))),
    );
  const settle = (isKeeping: boolean) => {
    if (!conflict) return;
    const theirs = draftOf(conflict.definition, true);
    store.adopt(conflict, theirs, isKeeping ? rebased(store.base, store.draft, theirs) : theirs);
    setConflict(null);
    task.forget();
  };
  const apply = (lose: readonly string[]) => task.run(() => save(lose));
  return {
    task,
    plan,
    conflict,
    isDone,
    finish: () => setDone(true),
    start,
    apply,
    dismiss: () => setPlan(null),
    settle,
  };
}

function wantedOf(store: DesignStore): Wanted {
  const draft = store.design === null ? withTitle(store.draft) : store.draft;
  const { base, design } = store;
  // A property that the draft no longer has is unset.
  const unset = Object.keys(base.properties).filter((property) => draft.properties[property] === undefined);
  const definition = { ...Object.fromEntries(unset.map((key) => [key, null])), ...definitionOf(draft) };
  return {
    doctype: design?.name ?? textOf(draft.properties, 'name').trim(),
    definition,
    children: childrenOf(draft),
    revision: design?.revision ?? '',
  };
}

function nextScreen({ doctype, definition }: Wanted): string {
  if (isOn(definition, 'istable')) return paths.designer(doctype);
  return isOn(definition, 'issingle') ? paths.record(doctype, doctype) : paths.list(doctype);
}

async function refresh({ doctype }: Wanted): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['meta'] });
  queryClient.removeQueries({ queryKey: keys.meta(doctype) });
  void queryClient.invalidateQueries({ queryKey: keys.lists('DocType') });
  void queryClient.invalidateQueries({ queryKey: keys.lists(doctype) });
  await loadBoot();
}

// The messages of the server begin with the field: `DocType Song: Field length: …`, `Field in row 3: …`.
function showProblems(store: DesignStore, error: unknown): void {
  if (!(error instanceof ApiError)) return;
  const { fields } = store.draft;
  const names = new Set(fields.map(({ values }) => textOf(values, 'fieldname')));
  const problems = new Map<string, string[]>();
  for (const { message, fieldname } of error.problems) {
    const [, row, name] = /Field (?:in row (\d+)|(\w+))/.exec(message) ?? [];
    const found = [fieldname, name, textOf(fields[Number(row) - 1]?.values ?? {}, 'fieldname')];
    const about = found.find((one) => one !== undefined && names.has(one)) ?? '';
    const text = about === '' ? message : message.replace(/^(?:.*?: )?Field (?:in row \d+|\w+): /, '');
    problems.set(about, [...(problems.get(about) ?? []), text]);
  }
  store.setProblems(problems);
  const first = fields.find(({ values }) => problems.has(textOf(values, 'fieldname')));
  if (first) store.select(first.key);
}

import type { KeyboardEvent } from 'react';
import { flushSync } from 'react-dom';
import { announce } from '../../base/announce.ts';
import { t } from '../../base/i18n.ts';
import type { DesignStore } from './design-store.ts';
import { useDesign } from './designer-context.ts';
import { type DraftField, duplicated, removed, sidestepped, stepped } from './draft.ts';
import { isShipped } from './locks.ts';

/** The keys of the canvas. `onEdit` opens the properties of the selected field. */
export function useCanvasKeys(onEdit: () => void): (event: KeyboardEvent) => void {
  const store = useDesign();
  return (event) => {
    const target = event.target instanceof HTMLElement ? event.target.closest('[data-key]') : null;
    const key = target?.getAttribute('data-key');
    if (!key || event.nativeEvent.isComposing) return;
    const run = actionOf(event, store, key, onEdit);
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };
}

type Action = () => void;

function actionOf(event: KeyboardEvent, store: DesignStore, key: string, onEdit: Action): Action | null {
  const isMod = event.ctrlKey || event.metaKey;
  const isBack = isRightToLeft() ? 'ArrowRight' : 'ArrowLeft';
  const isForth = isRightToLeft() ? 'ArrowLeft' : 'ArrowRight';
  if (event.altKey && event.key === 'ArrowUp') return () => move(store, key, (f) => stepped(f, key, -1));
  if (event.altKey && event.key === 'ArrowDown') return () => move(store, key, (f) => stepped(f, key, 1));
  if (event.altKey && event.key === isBack) return () => move(store, key, (f) => sidestepped(f, key, -1));
  if (event.altKey && event.key === isForth) return () => move(store, key, (f) => sidestepped(f, key, 1));
  if (isMod && event.key === 'd') return () => copy(store, key);
  if (event.altKey || isMod) return null;
  if (event.key === 'ArrowUp') return () => go(store, key, -1);
  if (event.key === 'ArrowDown') return () => go(store, key, 1);
  if (event.key === 'Delete' || event.key === 'Backspace') return () => drop(store, key);
  if (event.key !== 'Enter' && event.key !== 'F2') return null;
  return () => {
    store.select(key);
    onEdit();
  };
}

function isRightToLeft(): boolean {
  return document.documentElement.dir === 'rtl';
}

function move(
  store: DesignStore,
  key: string,
  make: (fields: readonly DraftField[]) => readonly DraftField[],
) {
  flushSync(() => {
    store.changeFields(make);
    store.select(key);
  });
  focusField(key);
  const at = store.draft.fields.findIndex((field) => field.key === key);
  announce(t('Place {at} of {count}', { at: at + 1, count: store.draft.fields.length }));
}

function copy(store: DesignStore, key: string): void {
  flushSync(() => store.changeFields((fields) => duplicated(fields, key)));
  go(store, key, 1);
}

function go(store: DesignStore, key: string, by: -1 | 1): void {
  const { fields } = store.draft;
  const next = fields[fields.findIndex((field) => field.key === key) + by];
  if (!next) return;
  flushSync(() => store.select(next.key));
  focusField(next.key);
}

function drop(store: DesignStore, key: string): void {
  const { fields } = store.draft;
  const at = fields.findIndex((field) => field.key === key);
  const field = fields[at];
  if (!field) return;
  if (isShipped(store.design, field)) {
    announce(t('This field belongs to the app. Hide it instead.'), { isUrgent: true });
    return;
  }
  const next = fields[at + 1] ?? fields[at - 1];
  flushSync(() => {
    store.changeFields((all) => removed(all, key));
    store.select(next?.key ?? null);
  });
  if (next) focusField(next.key);
  announce(t('Removed'));
}

/** Puts the focus on a field of the canvas. */
export function focusField(key: string): void {
  const element = document.querySelector<HTMLElement>(`[data-canvas] [data-key="${key}"]`);
  const button = element?.matches('button') ? element : element?.querySelector('button');
  button?.focus();
}

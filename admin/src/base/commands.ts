import { useEffect, useRef } from 'react';
import type { IconName } from './icons.ts';
import { createStore } from './store.ts';

/** A command of the palette. */
export interface Command {
  readonly id: string;
  readonly label: string;
  /** Translated heading of its group: Go to, Actions, Records. */
  readonly group: string;
  readonly icon?: IconName;
  /** Also matched by the search. */
  readonly keywords?: string;
  readonly detail?: string;
  /** The doctype of a record, shown at the end of its line. */
  readonly kind?: string;
  /** Its shortcut, shown beside it. */
  readonly keys?: string;
  /** The path that it opens, for a new tab. */
  readonly path?: string;
  readonly run: () => void;
}

/** Command sources by their owner. */
export const commandSources = createStore<ReadonlyMap<symbol, readonly Command[]>>(new Map());

/** Adds commands to the palette. Returns a function that removes them. */
export function registerCommands(commands: readonly Command[]): () => void {
  const source = Symbol('commands');
  commandSources.set(new Map(commandSources.get()).set(source, commands));
  return () => {
    const rest = new Map(commandSources.get());
    rest.delete(source);
    commandSources.set(rest);
  };
}

/** Registers commands while the component is mounted, and again when a label changes. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  const key = commands.map((one) => `${one.id}\n${one.label}`).join('\n');
  useEffect(() => {
    const labels = key;
    if (labels === '') return;
    return registerCommands(
      latest.current.map((one) => ({
        ...one,
        run: () => latest.current.find((now) => now.id === one.id)?.run(),
      })),
    );
  }, [key]);
}

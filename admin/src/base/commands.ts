import { useEffect, useRef } from 'react';
import { createStore } from './store.ts';

/** Something that the palette can do. */
export interface Command {
  readonly id: string;
  readonly label: string;
  /** Translated heading it stands below: Go to, Actions, Records. */
  readonly group: string;
  /** Found by these words, too. */
  readonly keywords?: string;
  readonly detail?: string;
  /** Shown beside it. */
  readonly keys?: string;
  readonly run: () => void;
}

/** Looks for commands that are not there beforehand, such as records. */
export type CommandSearch = (text: string, signal: AbortSignal) => Promise<readonly Command[]>;

/** Sources of commands, by who brought them. */
export const commandSources = createStore<ReadonlyMap<symbol, readonly Command[]>>(new Map());
export const commandSearches = createStore<readonly CommandSearch[]>([]);

/** Adds commands to the palette. Returns what takes them off. */
export function registerCommands(commands: readonly Command[]): () => void {
  const source = Symbol('commands');
  commandSources.set(new Map(commandSources.get()).set(source, commands));
  return () => {
    const rest = new Map(commandSources.get());
    rest.delete(source);
    commandSources.set(rest);
  };
}

/** The same for as long as a component is there; the list is read when its labels change. */
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

/** Adds a search whose results the palette shows as they come. */
export function registerCommandSearch(search: CommandSearch): () => void {
  commandSearches.set([...commandSearches.get(), search]);
  return () => commandSearches.set(commandSearches.get().filter((one) => one !== search));
}

import { createContext } from 'react';

/**
 * Creates a document without leaving the form, with the typed text as its title. Returns its name, or null if
 * cancelled.
 */
export type CreateNew = (doctype: string, text: string) => Promise<string | null>;

/** Provided by forms, which have drawers. Elsewhere, pickers cannot create documents. */
export const CreateNewContext = createContext<CreateNew | null>(null);

/** Searches in a dialog with columns and more rows. Returns the name, or null if cancelled. */
export type SearchAll = (doctype: string, text: string, filters: unknown) => Promise<string | null>;

/** Provided by forms, which have dialogs. */
export const SearchAllContext = createContext<SearchAll | null>(null);

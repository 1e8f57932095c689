import { createContext } from 'react';

/** Makes a document without leaving the form: what was typed becomes its title; answers its name, or null. */
export type CreateNew = (doctype: string, text: string) => Promise<string | null>;

/** Brought by the form, which has drawers; pickers elsewhere offer no new documents. */
export const CreateNewContext = createContext<CreateNew | null>(null);

import { createContext } from 'react';

/** The table whose label its section already shows as title; null for none. */
export const SectionTable = createContext<string | null>(null);

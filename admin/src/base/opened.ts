import { createKept } from './kept.ts';

/** Doctypes kept as opened. */
const MOST = 16;
/** Modules that exist on every site. Their doctypes have their own screens or are listed under Doctypes. */
const STANDARD: ReadonlySet<string> = new Set(['Core', 'Custom', 'Integrations']);

interface Listed {
  readonly name: string;
  readonly module: string;
  readonly custom: boolean;
  readonly istable: boolean;
  readonly rights: ReadonlySet<string>;
}

/** The site's own doctypes that the user may read. */
export function ownDoctypes<T extends Listed>(doctypes: readonly T[]): readonly T[] {
  return doctypes.filter((one) => !one.istable && isOwn(one) && one.rights.has('read'));
}

/** False for a doctype that every site has. */
export function isOwn({ custom, module }: { readonly custom: boolean; readonly module: string }): boolean {
  return custom || !STANDARD.has(module);
}

/** Doctypes last opened on this device, newest first. */
export const lastOpened = createKept<readonly string[]>('chancery.doctypes', [], (stored) =>
  Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : null,
);

/** Records that a doctype was opened. */
export function noteOpened(doctype: string): void {
  const rest = lastOpened.get().filter((one) => one !== doctype);
  lastOpened.set([doctype, ...rest].slice(0, MOST));
}

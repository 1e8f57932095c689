import type { Crumb } from '../base/crumbs.ts';
import { t } from '../base/i18n.ts';
import { paths } from '../base/paths.ts';
import { knownBoot } from '../data/boot.ts';

/** The breadcrumbs of a list: the module of its doctype. */
export function listTrail(doctype: string): readonly Crumb[] {
  const found = knownBoot()?.doctypes.get(doctype);
  return found ? [{ label: t(found.module) }] : [];
}

/** The breadcrumbs of a record: the module of its doctype, and the list. */
export function recordTrail(doctype: string): readonly Crumb[] {
  return [...listTrail(doctype), { label: t(doctype), path: paths.list(doctype) }];
}

import type { DocType } from '../../../doctype/doctype.ts';
import { isAmendedFrom } from '../../../document/check/amendment.ts';
import type { SiteSettings } from '../../settings/settings-table.ts';

/** The first plan that takes `read_only` and `mandatory_depends_on` for rules of forms. */
const FORM_RULES = 6;

/**
 * One sentence for each field whose rule the server enforced when it last planned this site's tables, and
 * enforces no longer.
 */
export function openedFields(doctypes: readonly DocType[], settings: SiteSettings): string[] {
  if (Number(settings.get('plan_version') ?? FORM_RULES) >= FORM_RULES) return [];
  return doctypes.flatMap((doctype) =>
    doctype.fields.flatMap((field) => {
      if (field.enforce_on_server) return [];
      const opened: string[] = [];
      // A check of its own protects `amended_from`.
      if (field.read_only && !isAmendedFrom(doctype, field))
        opened.push('clients may now write this read-only field');
      const isRequired = field.mandatory_depends_on !== '';
      if (isRequired) opened.push('mandatory_depends_on is now left to forms');
      return opened.map(
        (what) => `${doctype.name}.${field.fieldname}: ${what}; enforce_on_server prevents it`,
      );
    }),
  );
}

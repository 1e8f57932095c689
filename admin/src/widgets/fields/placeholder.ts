import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';

/** The hint in an empty input: the field's own, or the default in force of a setting. */
export function placeholderOf({ field, doctype, docname }: ControlProps): string | undefined {
  if (field.placeholder !== '') return t(field.placeholder);
  // Settings are the only documents with the name of their doctype.
  const isSetting = docname === doctype && field.default !== '';
  return isSetting ? t('{value} (default)', { value: field.default }) : undefined;
}

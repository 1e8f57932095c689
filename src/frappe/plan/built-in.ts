import type { DocType } from '../../doctype/doctype.ts';
import { parseDoctype } from '../../doctype/parse-doctype.ts';
import { readDefinitions } from '../../site/schema/apps/load-app.ts';
import { STANDARD_DOCTYPES } from '../../standard/standard-app.ts';

/** The doctypes that every site of this server has. */
export function builtInDoctypes(): DocType[] {
  const app = { name: 'standard', doctypes: STANDARD_DOCTYPES };
  return readDefinitions(app).map((definition) => parseDoctype(definition, app.name));
}

import { LENIENT } from '../../../doctype/definition.ts';
import type { DocType } from '../../../doctype/doctype.ts';
import { parseDoctype } from '../../../doctype/parse-doctype.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { isRecord } from '../../../kernel/value.ts';
import { STANDARD_DOCTYPES } from '../../../standard/standard-app.ts';
import type { App } from '../../app.ts';
import { StartError } from '../../start-error.ts';
import { readDefinitions } from './load-app.ts';

/**
 * The doctypes of apps' files, without a database, and the standard child doctypes that they use.
 * @throws StartError naming an invalid definition
 */
export function appDoctypes(apps: readonly App[]): DocType[] {
  const own = apps.flatMap(parseDefinitions);
  const standard = parseDefinitions({ name: 'standard', doctypes: STANDARD_DOCTYPES });
  const used = new Set(own.flatMap(({ tables }) => tables.map(({ options }) => options)));
  return [...own, ...standard.filter(({ name }) => used.has(name))];
}

function parseDefinitions(app: App): DocType[] {
  return readDefinitions(app).map((definition) => {
    try {
      return parseDoctype(definition, app.name, LENIENT);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const name = isRecord(definition) ? definition['name'] : undefined;
      const problems = error.details.messages ?? [error.message];
      throw new StartError(`${name} of the app ${app.name} does not fit:\n  ${problems.join('\n  ')}`, {
        cause: error,
      });
    }
  });
}

import type { DocType } from '../../doctype/doctype.ts';
import { parseDoctype } from '../../doctype/parse-doctype.ts';
import { isRecord } from '../../kernel/value.ts';
import { readDefinitions } from '../../site/schema/apps/load-app.ts';
import { STANDARD_DOCTYPES } from '../../standard/standard-app.ts';

/** A DocType in the form of a file. */
export type SourceDefinition = Readonly<Record<string, unknown>> & { readonly name: string };

const APP = { name: 'standard', doctypes: STANDARD_DOCTYPES };

/** The definitions of the doctypes that every site of this server has. */
export function builtInDefinitions(): SourceDefinition[] {
  return readDefinitions(APP).filter((definition): definition is SourceDefinition => isRecord(definition));
}

/** One of them, or one with customizations, parsed. */
export function parseBuiltIn(definition: unknown): DocType {
  return parseDoctype(definition, APP.name);
}

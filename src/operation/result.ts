import type { JsonSchema } from '../doctype/json-schema-value.ts';
import type { ListText } from '../document/list/list-stream.ts';

/** JSON text made by the database, and sent to the client unparsed. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A list as the result of an operation. */
export class JsonList {
  readonly text: ListText;
  constructor(text: ListText) {
    this.text = text;
  }
}

/** A document of the requested doctype. */
export const DOCUMENT: JsonSchema = { type: 'object', description: 'The document' };

/** The reply has no result. */
export const NOTHING: JsonSchema = { type: 'null' };

/** Rows of a list. */
export const ROWS: JsonSchema = { type: 'array', items: { type: 'object' } };

/** An object whose properties are all required. */
export function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

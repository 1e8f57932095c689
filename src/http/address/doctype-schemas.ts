import type { FieldSet } from '../../access/field-level.ts';
import {
  creatingSchema,
  readingSchema,
  type SchemaScope,
  updatingSchema,
} from '../../doctype/json-schema.ts';
import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import type { ApiScope, UsableDoctype } from './scope.ts';

/** Names of a doctype's schemas, from its type name. */
export const schemaName = {
  /** Some of the fields, as in the rows of lists. */
  fields: (typeName: string) => `${typeName}.Fields`,
  document: (typeName: string) => typeName,
  create: (typeName: string) => `${typeName}.Create`,
  update: (typeName: string) => `${typeName}.Update`,
};

/** The schemas of a doctype that the user needs. */
export function doctypeSchemas(scope: ApiScope, usable: UsableDoctype): Record<string, JsonSchema> {
  const { doctype, typeName, verbs } = usable;
  const { required, ...fields } = readingSchema(
    doctype,
    schemaScope(scope, usable.readable, schemaName.document),
  );
  const schemas: Record<string, JsonSchema> = {
    [schemaName.fields(typeName)]: { ...fields, title: `Fields of ${doctype.name}` },
    [schemaName.document(typeName)]: {
      title: doctype.name,
      $ref: `#/components/schemas/${schemaName.fields(typeName)}`,
      required,
    },
  };
  const written = schemaScope(scope, usable.writable, schemaName.create);
  if (verbs.has('create') || isRow(scope, usable)) {
    schemas[schemaName.create(typeName)] = creatingSchema(doctype, written);
  }
  if (verbs.has('update')) schemas[schemaName.update(typeName)] = updatingSchema(doctype, written);
  return schemas;
}

// Creations and changes of the parent use the same schema for rows.
function isRow(scope: ApiScope, { doctype }: UsableDoctype): boolean {
  const parents = new Set(scope.registry.parentsOf(doctype.name).map((link) => link.doctype.name));
  return scope.doctypes.some(
    ({ doctype: parent, verbs }) => parents.has(parent.name) && (verbs.has('create') || verbs.has('update')),
  );
}

function schemaScope(scope: ApiScope, fields: FieldSet, nameOf: (typeName: string) => string): SchemaScope {
  return {
    fields,
    rowRef(childName) {
      const child = scope.doctypes.find(({ doctype }) => doctype.name === childName);
      return child && `#/components/schemas/${nameOf(child.typeName)}`;
    },
  };
}

import type { ChildRow, DocType, DoctypeRegistry, Document } from '../../../doctype/doctype.ts';
import { fieldtypeOf } from '../../../doctype/fieldtypes/fieldtypes.ts';
import {
  OTHER_PROPERTIES,
  otherProperties,
  parseOtherProperties,
  renderOtherProperties,
} from '../../../doctype/other-properties.ts';
import type { Change } from '../../../document/change.ts';
import { rowsOf } from '../../../document/document.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { isRecord } from '../../../kernel/value.ts';

type Properties = Readonly<Record<string, unknown>>;

/**
 * Keeps the properties of a definition (a DocType or Custom Field) that have no column. In the document, they
 * are merged with the kept ones (null removes a property). Rows are replaced as a whole, and so are their
 * properties.
 * @throws ServiceError when they are too large
 */
export function keepOtherProperties(registry: DoctypeRegistry, change: Change): void {
  const { doctype, doc, before, input } = change;
  const kept = parseOtherProperties(before?.[OTHER_PROPERTIES]);
  store(doc, doctype, { ...kept, ...spread(input) });
  // A kept property that has a column now moves into it.
  for (const [key, value] of Object.entries(kept)) {
    const field = doctype.columnByName.get(key)?.field;
    if (!field || Object.hasOwn(input, key)) continue;
    try {
      doc[key] = fieldtypeOf(field).coerce(value, field);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }
  for (const table of doctype.tables) {
    const sent = Object.hasOwn(input, table.fieldname) ? input[table.fieldname] : undefined;
    if (!Array.isArray(sent)) continue;
    const child = registry.get(table.options);
    for (const [index, row] of rowsOf(doc, table.fieldname).entries()) {
      const properties: unknown = sent[index];
      if (child.columnByName.has(OTHER_PROPERTIES) && isRecord(properties))
        store(row, child, spread(properties));
    }
  }
}

// Copied and restored documents have them in their stored form.
function spread(input: Properties): Properties {
  return { ...parseOtherProperties(input[OTHER_PROPERTIES]), ...input };
}

function store(holder: Document | ChildRow, meta: DocType, properties: Properties): void {
  holder[OTHER_PROPERTIES] = renderOtherProperties(otherProperties(properties, meta));
}

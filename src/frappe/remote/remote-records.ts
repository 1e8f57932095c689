import type { DocType, DoctypeRegistry } from '../../doctype/doctype.ts';
import type { LoadSource, SourceRecord } from '../../load/record.ts';
import { type Conversion, convertDocument } from '../carry/convert.ts';
import { shortName } from '../carry/corrections.ts';
import type { Tally } from '../carry/tally.ts';
import type { ScratchRow } from '../input/scratch.ts';
import type { LeftFields } from '../plan/own-doctypes.ts';
import { DocumentRows, type RemoteShape } from './document-rows.ts';
import { type RemoteSource, shapesOf } from './open-remote.ts';
import type { RemoteRow, RemoteSite } from './remote-site.ts';
import { byName } from './walk.ts';

/** Passwords and other secrets do not come through the API, and links are taken as they are. */
export function remoteConversion(tally: Tally, left: LeftFields): Conversion {
  return {
    corrections: { link: (_doctype, name) => shortName(name) },
    secrets: { secret: () => null, hash: () => null },
    tally,
    left,
  };
}

/** Columns of File that tell of the bytes here. */
const OF_BYTES: ReadonlySet<string> = new Set(['content_hash', 'file_size']);

/** A document of a running site as a record. Emptied values are stated; those that the key may not read are not. */
export function remoteRecord(
  registry: DoctypeRegistry,
  doctype: DocType,
  document: RemoteRow,
  conversion: Conversion,
): SourceRecord {
  const rowsOf = (fieldname: string) => {
    const rows = document[fieldname];
    return Array.isArray(rows) ? rows.map((row) => cells(Object(row) as RemoteRow)) : [];
  };
  const row = cells(document);
  const record = convertDocument(doctype, row, conversion, registry, (_child, { fieldname }) =>
    rowsOf(fieldname),
  );
  const emptied = doctype.columns.filter(
    ({ fieldname, field }) => row[fieldname] === null && field?.fieldtype !== 'Password',
  );
  const tables = doctype.tables.filter(({ fieldname }) => Array.isArray(document[fieldname]));
  const values = Object.entries({
    ...Object.fromEntries(emptied.map(({ fieldname }) => [fieldname, null])),
    ...Object.fromEntries(tables.map(({ fieldname }) => [fieldname, []])),
    ...record.values,
  });
  const isStored = doctype.name === 'File' && isOwnFile(document['file_url']);
  return {
    ...record,
    values: Object.fromEntries(isStored ? values.filter(([key]) => !OF_BYTES.has(key)) : values),
  };
}

/** Whether a url is that of a file on the site itself. */
export function isOwnFile(url: unknown): url is string {
  return typeof url === 'string' && /^\/(?:private\/)?files\//.test(url);
}

function cells(row: RemoteRow): ScratchRow {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => {
      if (value === null || value === undefined || typeof value === 'string') return [key, value ?? null];
      if (typeof value === 'boolean') return [key, value ? '1' : '0'];
      return [key, typeof value === 'object' ? JSON.stringify(value) : String(value)];
    }),
  );
}

/** All documents of a running site, by doctype and name. */
export function remoteRecords(
  source: RemoteSource,
  registry: DoctypeRegistry,
  conversion: Conversion,
): LoadSource {
  const { site, counts } = source;
  const rows = new DocumentRows(site);
  const total = counts.values().reduce((sum, count) => sum + count, 0);
  let done = 0;
  return {
    id: siteId(site),
    label: site.origin,
    total,
    part: () => (total === 0 ? null : Math.min(1, done / total)),
    async *records() {
      done = 0;
      for (const shape of shapesOf(source, registry)) {
        const doctype = registry.get(shape.doctype);
        for await (const documents of doctype.issingle
          ? single(source, shape)
          : pagesOf(source, rows, shape)) {
          for (const document of documents) yield remoteRecord(registry, doctype, document, conversion);
          done += documents.length;
        }
      }
    },
  };
}

/** Names the load of a running site. */
export function siteId({ origin }: Pick<RemoteSite, 'origin'>): string {
  return `frappe ${origin}`;
}

async function* single({ site }: RemoteSource, shape: RemoteShape): AsyncGenerator<readonly RemoteRow[]> {
  yield [singleOf(shape, await site.read(shape.doctype, shape.doctype))];
}

/** A single, which has the name of its doctype, and all its tables. */
export function singleOf({ doctype, tables }: RemoteShape, document: RemoteRow): RemoteRow {
  const empty = Object.fromEntries(tables.map(({ fieldname }) => [fieldname, []]));
  return { ...empty, ...document, name: doctype };
}

async function* pagesOf(
  { site }: RemoteSource,
  rows: DocumentRows,
  shape: RemoteShape,
): AsyncGenerator<readonly RemoteRow[]> {
  for await (const page of byName(site, shape.doctype)) {
    const coming = page.filter(({ name }) => shape.without?.has(String(name)) !== true);
    yield await rows.complete(shape, coming);
  }
}

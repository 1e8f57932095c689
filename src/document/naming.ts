import type { DocType, Document } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Fields } from '../kernel/value.ts';
import type { Change } from './change.ts';
import { checkName } from './check/name.ts';
import type { Context } from './context.ts';
import { scalarOf } from './document.ts';
import { type NamePart, nextNumber, parseFormat, parseSeries, renderName } from './series.ts';

/** Length of a random name. */
const HASH = 10;
const HASH_TRIES = 5;

/** Where a name came from: whether another one may be made when it is taken. */
export interface Naming {
  readonly tries: number;
  /** Gives the document another name. */
  again(): Promise<void>;
}

/** A name that a person or a field chose: taken means refused. */
export const CHOSEN: Naming = { tries: 1, again: async () => {} };

/**
 * Names a new document by its doctype's `autoname`. A name set by a `beforeInsert` hook stands.
 * @throws ServiceError NameError, or ValidationError when a name is needed and missing
 */
export async function assignName(ctx: Context, change: Change): Promise<Naming> {
  const { doctype, doc, input } = change;
  const { autoname } = doctype;
  const rule = autoname.toLowerCase();
  if (doc.name !== '') return choose(change, doc.name);
  if (doctype.issingle) return choose(change, doctype.name);
  if (rule === 'prompt') return choose(change, promptedName(input, 'name', '__newname') ?? '');
  if (rule === 'prompt_or_hash' || rule === '' || rule === 'hash' || rule === 'random') {
    const keys = rule === 'prompt_or_hash' ? ['name', '__newname'] : ['__newname'];
    const given = promptedName(input, ...keys);
    return given === null
      ? make(change, HASH_TRIES, async () => ctx.site.random.hash(HASH))
      : choose(change, given);
  }
  if (rule === 'uuid') {
    const given = promptedName(input, 'name', '__newname');
    return given === null
      ? make(change, HASH_TRIES, async () => uuid7(ctx))
      : choose(change, checkUuid(given));
  }
  if (rule === 'autoincrement') {
    const key = `autoincrement ${doctype.name}`;
    return make(change, LIMITS.seriesTries, async () => String(await nextNumber(ctx.db, key)));
  }
  const named = autonameField(doctype);
  if (named !== null) {
    const naming = choose(change, fieldName(doctype, doc, named));
    doc[named] = doc.name;
    return naming;
  }
  const parts = nameParts(doctype, doc);
  const counted = parts.some((part) => 'digits' in part);
  return make(change, counted ? LIMITS.seriesTries : 1, () => renderName(ctx, doc, parts));
}

/** The field that `field:…` names documents by, or null. */
export function autonameField(doctype: DocType): string | null {
  return /^field:\s*(.+?)\s*$/i.exec(doctype.autoname)?.[1] ?? null;
}

/** The field a document is named by follows the name; renaming changes both. */
export function keepNamingField(change: Change): void {
  const fieldname = autonameField(change.doctype);
  if (fieldname !== null && change.before) change.doc[fieldname] = change.before[fieldname] ?? null;
}

/** The pattern that names a document of a doctype with a series or format; no parts for other ways of naming. */
export function nameParts(doctype: DocType, doc: Document): NamePart[] {
  const { autoname } = doctype;
  const format = /^format:(.*)$/is.exec(autoname)?.[1];
  if (format !== undefined) return parseFormat(format, doctype);
  if (/^naming_series:/i.test(autoname)) {
    const series = scalarOf(doc, 'naming_series');
    if (series === null || series === '') {
      throw new ServiceError('ValidationError', 'Naming Series is required');
    }
    return parseSeries(String(series), doctype);
  }
  return /^(?:hash|random|prompt|prompt_or_hash|uuid|autoincrement|field:.*)?$/i.test(autoname)
    ? []
    : parseSeries(autoname, doctype);
}

function choose(change: Change, name: string): Naming {
  change.doc.name = checkName(change.doctype, name);
  return CHOSEN;
}

async function make(change: Change, tries: number, next: () => Promise<string>): Promise<Naming> {
  const again = async () => {
    change.doc.name = checkName(change.doctype, await next());
  };
  await again();
  return { tries, again };
}

function promptedName(fields: Fields, ...keys: readonly string[]): string | null {
  for (const key of keys) {
    const given = Object.hasOwn(fields, key) ? fields[key] : null;
    if (given === null || given === undefined || given === '') continue;
    // A number would come back as text, and 1 and "1" would be one document.
    if (typeof given !== 'string') throw new ServiceError('NameError', 'The name must be text');
    return given;
  }
  return null;
}

function fieldName(doctype: DocType, doc: Document, fieldname: string): string {
  const name = String(scalarOf(doc, fieldname) ?? '').trim();
  if (name !== '') return name;
  const label = doctype.fieldByName.get(fieldname)?.label ?? fieldname;
  throw new ServiceError('ValidationError', `${label} is required`);
}

function checkUuid(given: string): string {
  const uuid = given.trim().toLowerCase();
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid)) return uuid;
  throw new ServiceError('NameError', 'The name must be a UUID');
}

/** RFC 9562 version 7: sorts by time of creation. */
function uuid7(ctx: Context): string {
  const bytes = ctx.site.random.bytes(16);
  bytes.writeUIntBE(Math.floor(ctx.site.clock.micros() / 1000), 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

import type { DocType, Document } from '../../doctype/doctype.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Fields } from '../../kernel/value.ts';
import type { Change } from '../change.ts';
import { amendedName } from '../check/amendment.ts';
import { checkName } from '../check/name.ts';
import { checkValues } from '../check/values.ts';
import type { Context } from '../contract.ts';
import { runHook } from '../controller.ts';
import { scalarOf } from '../document.ts';
import { nameByRule, revertRule } from './naming-rules.ts';
import {
  isSeries,
  type NamePart,
  nextNumber,
  numberKey,
  parseFormat,
  parseSeries,
  renderName,
  revertSeries,
} from './series.ts';

/** Length of a random name. */
const HASH = 10;

/** The origin of a name, which decides whether another one may be tried when it is taken. */
export interface Naming {
  readonly tries: number;
  /** The name has the next number of a counter, which the transaction has locked. */
  readonly isCounted: boolean;
  /** Gives the document another name. */
  again(): Promise<void>;
}

/** A name chosen by a person or taken from a field: if it is taken, the creation fails. */
export const CHOSEN: Naming = { tries: 1, isCounted: false, again: async () => {} };
const COUNTED = { tries: LIMITS.seriesTries, isCounted: true };
const AMENDED = { tries: LIMITS.seriesTries, isCounted: false };
const RANDOM = { tries: 5, isCounted: false };

/**
 * Names a new document by the first of these that gives a name: the document it amends, a Document Naming
 * Rule that fits, an `autoname` hook, the doctype's `autoname`. A name set by a `beforeInsert` hook stays, as
 * does a sent one if the doctype allows it.
 * @throws ServiceError NameError, or ValidationError when a name is needed and missing
 */
export async function assignName(ctx: Context, change: Change, amended: Document | null): Promise<Naming> {
  const { doctype, doc, input } = change;
  const rule = doctype.autoname.toLowerCase();
  if (doc.name !== '') return choose(change, doc.name);
  if (rule === 'autoincrement') {
    const key = numberKey(doctype);
    return make(change, COUNTED, async () => String(await nextNumber(ctx.db, key)));
  }
  if (amended) return make(change, AMENDED, amendedNames(doctype, amended));
  if (doctype.issingle) return choose(change, doctype.name);
  const given = promptedName(input, ...(GIVEN[rule] ?? []));
  if (given !== null) return choose(change, rule === 'uuid' ? checkUuid(given) : given);
  const ruled = await nameByRule(ctx, doctype, doc);
  if (ruled !== null) {
    setName(change, ruled);
    const again = async () => setName(change, (await nameByRule(ctx, doctype, doc)) ?? ruled);
    return { ...COUNTED, again };
  }
  await runHook(ctx, change, 'autoname');
  if (doc.name !== '') return choose(change, doc.name);
  return nameByDoctype(ctx, change, rule);
}

/** Fields in which a client may send the name, by `autoname`. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  '': ['__newname'],
  hash: ['__newname'],
  random: ['__newname'],
  prompt: ['name', '__newname'],
  prompt_or_hash: ['name', '__newname'],
  uuid: ['name', '__newname'],
};

async function nameByDoctype(ctx: Context, change: Change, rule: string): Promise<Naming> {
  const { doctype, doc } = change;
  if (rule === 'prompt') return choose(change, '');
  if (rule === 'uuid') return make(change, RANDOM, async () => uuid7(ctx));
  if (GIVEN[rule]) return make(change, RANDOM, async () => ctx.site.random.hash(HASH));
  const named = autonameField(doctype);
  if (named !== null) return choose(change, fieldName(ctx, change, named));
  if (/^naming_series:/.test(rule) && !scalarOf(doc, 'naming_series')) {
    doc['naming_series'] = firstSeries(doctype);
  }
  const parts = nameParts(doctype, doc);
  const counted = parts.some((part) => 'digits' in part);
  return make(change, counted ? COUNTED : CHOSEN, () => renderName(ctx, doc, parts));
}

/** NAME-1 amends NAME, NAME-2 amends NAME-1; numbers in use are skipped. */
function amendedNames(doctype: DocType, amended: Document): () => Promise<string> {
  const again = amendedName(doctype, amended) === null ? null : /^(.+)-(\d{1,9})$/su.exec(amended.name);
  const base = again?.[1] ?? amended.name;
  let number = Number(again?.[2] ?? 0);
  return async () => {
    number += 1;
    return `${base}-${number}`;
  };
}

/** The field that `field:…` names documents by, or null. */
export function autonameField(doctype: DocType): string | null {
  return /^field:(.*)$/is.exec(doctype.autoname)?.[1]?.trim() || null;
}

/** The naming field always equals the name; a rename changes both. */
export function keepNamingField(change: Change): void {
  const fieldname = autonameField(change.doctype);
  if (fieldname !== null && change.before) change.doc[fieldname] = change.before[fieldname] ?? null;
}

/** The name pattern of a doctype with a series or format; no parts for other kinds of naming. */
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

/** Returns the number of a deleted document to its counter, if it was the last. */
export async function revertNaming(ctx: Context, doctype: DocType, doc: Document): Promise<void> {
  const usesSeries = /^naming_series:/i.test(doctype.autoname);
  const series = scalarOf(doc, 'naming_series');
  // A missing or invalid series must not block a deletion.
  if (!usesSeries || (series && isSeries(String(series)))) {
    await revertSeries(ctx.db, doc, nameParts(doctype, doc));
  }
  await revertRule(ctx, doctype, doc);
}

function firstSeries(doctype: DocType): string | null {
  const options = doctype.fieldByName.get('naming_series')?.options.split('\n') ?? [];
  return options.map((option) => option.trim()).find((option) => option !== '') ?? null;
}

function choose(change: Change, name: string): Naming {
  setName(change, name);
  return CHOSEN;
}

async function make(
  change: Change,
  kind: Omit<Naming, 'again'>,
  next: () => Promise<string>,
): Promise<Naming> {
  const again = async () => setName(change, await next());
  await again();
  return { ...kind, again };
}

// Sets the name, and the naming field with it.
function setName(change: Change, name: string): void {
  change.doc.name = checkName(change.doctype, name);
  const named = autonameField(change.doctype);
  if (named !== null) change.doc[named] = change.doc.name;
}

function promptedName(fields: Fields, ...keys: readonly string[]): string | null {
  for (const key of keys) {
    const given = Object.hasOwn(fields, key) ? fields[key] : null;
    if (given === null || given === undefined || given === '') continue;
    // A number would be stored as text, so that 1 and "1" would be one document.
    if (typeof given !== 'string') throw new ServiceError('NameError', 'The name must be text');
    return given;
  }
  return null;
}

function fieldName(ctx: Context, change: Change, fieldname: string): string {
  const { doctype, doc, problems } = change;
  const name = String(scalarOf(doc, fieldname) ?? '').trim();
  if (name !== '') return name;
  // It may be empty because its value is invalid, which says more.
  if (problems.some(({ holder, ...of }) => holder === doc && of.fieldname === fieldname)) {
    checkValues(ctx, change);
  }
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
  bytes.writeUIntBE(nowMillis(ctx.site.clock), 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

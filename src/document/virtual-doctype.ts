import { createHash } from 'node:crypto';
import type { DocType, Document } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Fields } from '../kernel/value.ts';
import type { ListQuery } from '../query/list-query.ts';
import type { Change } from './change.ts';
import { placeChildren } from './children.ts';
import type { Context } from './context.ts';
import { type Controller, controllersOf } from './controller.ts';
import type { Loaded } from './load.ts';
import { forgetPasswords, storePasswords } from './passwords.ts';
import { takeOver, virtualDocument } from './virtual-document.ts';
import type { VirtualPage } from './virtual-source.ts';

export type VirtualWrite = 'create' | 'update' | 'delete';

/** True when the doctype's controller writes documents in this way. */
export function writesVirtual(ctx: Context, doctype: DocType, verb: VirtualWrite): boolean {
  const isServed = doctype.rowsFrom === 'controller';
  return isServed && controllersOf(ctx, doctype).some((controller) => controller[verb]);
}

/** A document of a virtual doctype from its controller; null when there is none. */
export async function loadVirtual(ctx: Context, doctype: DocType, name: string): Promise<Loaded | null> {
  const { read } = sourceOf(ctx, doctype, 'read');
  const given = await read(ctx, name.normalize('NFC'));
  if (!given) return null;
  const doc = virtualDocument(ctx, doctype, { ...given, name: given['name'] ?? name });
  return { doc, revision: contentRevision(doc) };
}

/** What the controller lists for a query: documents still to be filtered, or its own page of them. */
export async function listVirtual(
  ctx: Context,
  doctype: DocType,
  query: ListQuery,
): Promise<{ readonly docs: Document[]; readonly count: number | null }> {
  const { list } = sourceOf(ctx, doctype, 'list');
  const given = await list(ctx, query);
  const rows = isPage(given) ? given.rows : given;
  const docs = rows.map((row) => virtualDocument(ctx, doctype, row));
  return { docs, count: isPage(given) ? given.count : null };
}

/** Has the controller write what the pipeline made. */
export async function writeVirtual(ctx: Context, change: Change, verb: VirtualWrite): Promise<void> {
  const { doctype, doc } = change;
  const source = sourceOf(ctx, doctype, verb);
  if (verb === 'delete') {
    await forgetPasswords(ctx, change);
    await source.delete(ctx, doc, change);
    return;
  }
  const storeSecrets = storePasswords(ctx, change);
  const stored = await source[verb](ctx, doc, change);
  if (stored) {
    takeOver(ctx, doctype, doc, stored);
    placeChildren(ctx, change);
  }
  await storeSecrets();
}

/** A number that changes with the content: the revision of a document that nobody counts revisions of. */
export function contentRevision(doc: Document): number {
  const digest = createHash('sha256').update(JSON.stringify(doc)).digest();
  return digest.readUIntBE(0, 6) || 1;
}

function sourceOf<V extends 'list' | 'read' | VirtualWrite>(
  ctx: Context,
  doctype: DocType,
  member: V,
): Required<Pick<Controller, V>> {
  for (const controller of controllersOf(ctx, doctype)) {
    if (has(controller, member)) return controller;
  }
  throw new ServiceError('ValidationError', `${doctype.name} is virtual, and no app provides its documents`);
}

function has<V extends keyof Controller>(
  controller: Controller,
  member: V,
): controller is Controller & Required<Pick<Controller, V>> {
  return controller[member] !== undefined;
}

function isPage(given: readonly Fields[] | VirtualPage): given is VirtualPage {
  return !Array.isArray(given);
}

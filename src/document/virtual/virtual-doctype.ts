import { createHash } from 'node:crypto';
import type { DocType, Document, Right } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { ListQuery } from '../../query/list-query.ts';
import type { Context, Controller, VirtualPage } from '../contract.ts';
import { controllersOf } from '../controller.ts';
import type { Loaded } from '../document.ts';
import { virtualDocument } from './virtual-document.ts';

export type VirtualWrite = 'create' | 'update' | 'delete';

/** True when the doctype's controller supports this kind of write. */
export function writesVirtual(ctx: Context, doctype: DocType, verb: VirtualWrite): boolean {
  const isServed = doctype.rowsFrom === 'controller';
  return isServed && controllersOf(ctx, doctype).some((controller) => controller[verb]);
}

const WRITES: Readonly<Partial<Record<Right, VirtualWrite>>> = {
  write: 'update',
  submit: 'update',
  cancel: 'update',
  create: 'create',
  amend: 'create',
  import: 'create',
  delete: 'delete',
};

/** True when the doctype has what the right allows. A virtual doctype may be read-only, or lack some writes. */
export function supportsRight(ctx: Context, doctype: DocType, right: Right): boolean {
  const verb = WRITES[right];
  return verb === undefined || !doctype.is_virtual || writesVirtual(ctx, doctype, verb);
}

/** A document of a virtual doctype from its controller; null when there is none. */
export async function loadVirtual(ctx: Context, doctype: DocType, name: string): Promise<Loaded | null> {
  const { read } = sourceOf(ctx, doctype, 'read');
  const given = await read(ctx, name.normalize('NFC'));
  if (!given) return null;
  const doc = virtualDocument(ctx, doctype, { ...given, name: given['name'] ?? name });
  return { doc, revision: contentRevision(doc) };
}

/** The controller's answer to a list query: documents still to be filtered, or a finished page. */
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

/** A hash of the content: the revision of a document without stored revisions. */
export function contentRevision(doc: Document): number {
  const digest = createHash('sha256').update(JSON.stringify(doc)).digest();
  return digest.readUIntBE(0, 6) || 1;
}

/** The controller of a virtual doctype that has a member. @throws ServiceError ValidationError when none has */
export function sourceOf<V extends 'list' | 'read' | VirtualWrite>(
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

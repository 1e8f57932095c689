import type { Document } from '../doctype/doctype.ts';
import { textOf } from '../document/document.ts';
import { isRecord } from '../kernel/value.ts';

/** What a deleted File keeps of its stored bytes. */
interface DeletedBytes {
  readonly fileUrl: string;
  readonly fileName: string;
  readonly sha256: string;
  readonly isPrivate: boolean;
}

/** The last File of bytes in quarantine, as it was when it was deleted: with the bytes it can come back. */
export interface DeletedFile extends DeletedBytes {
  readonly name: string;
  readonly owner: string;
  readonly folder: string;
  /** The document that it was attached to; `field` is '' without one. */
  readonly attachedTo: { readonly doctype: string; readonly name: string; readonly field: string } | null;
}

/** The description of a File and its stored bytes. */
export function describeDeleted(doc: Document, stored: DeletedBytes): DeletedFile {
  const { fileUrl, sha256, isPrivate } = stored;
  const [doctype, name] = [textOf(doc, 'attached_to_doctype'), textOf(doc, 'attached_to_name')];
  return {
    name: doc.name,
    owner: doc.owner,
    folder: textOf(doc, 'folder'),
    fileName: textOf(doc, 'file_name') || stored.fileName,
    ...{ fileUrl, sha256, isPrivate },
    attachedTo: doctype && name ? { doctype, name, field: textOf(doc, 'attached_to_field') } : null,
  };
}

/** The description as JSON, in the names of the API. */
export function renderDeleted(file: DeletedFile): string {
  return JSON.stringify({
    name: file.name,
    owner: file.owner,
    folder: file.folder,
    file_name: file.fileName,
    file_url: file.fileUrl,
    content_hash: file.sha256,
    is_private: file.isPrivate ? 1 : 0,
    attached_to_doctype: file.attachedTo?.doctype ?? null,
    attached_to_name: file.attachedTo?.name ?? null,
    attached_to_field: file.attachedTo?.field || null,
  });
}

/** Null for bytes without a description. */
export function parseDeleted(text: unknown): DeletedFile | null {
  const read: unknown = typeof text === 'string' ? JSON.parse(text) : null;
  if (!isRecord(read)) return null;
  const of = (key: string) => (typeof read[key] === 'string' ? read[key] : '');
  const [doctype, name] = [of('attached_to_doctype'), of('attached_to_name')];
  return {
    name: of('name'),
    owner: of('owner'),
    folder: of('folder'),
    fileName: of('file_name'),
    fileUrl: of('file_url'),
    sha256: of('content_hash'),
    isPrivate: read['is_private'] !== 0,
    attachedTo: doctype && name ? { doctype, name, field: of('attached_to_field') } : null,
  };
}

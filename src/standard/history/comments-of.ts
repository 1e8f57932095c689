import type { DoctypeRegistry, Document } from '../../doctype/doctype.ts';
import type { DocEvent } from '../../document/doc-event.ts';
import { textOf } from '../../document/document.ts';
import { isOpenField } from '../../file/attached-field.ts';
import { type AutomaticComment, escapeHtml } from './comment.ts';
import type { Fates } from './fates.ts';

/** A comment for the system to add. */
export interface CommentDraft {
  readonly doctypeName: string;
  readonly name: string;
  readonly type: AutomaticComment;
  readonly html: string;
}

/** The comments that the system adds for an event: on files attached and detached, and on renames. */
export function commentsOf(registry: DoctypeRegistry, event: DocEvent, fates: Fates): CommentDraft[] {
  if (event.name === 'after_rename') return renamed(event, fates);
  return event.doctype.name === 'File' ? moved(registry, event, fates) : [];
}

// A merge renames to an existing document and deletes the old one.
function renamed({ doctype, doc, before }: DocEvent, fates: Fates): CommentDraft[] {
  if (!before) return [];
  const [was, is] = [before.name, doc.name].map((name) => `<strong>${escapeHtml(name)}</strong>`);
  const html = fates.isDeleted(doctype.name, before.name)
    ? `merged ${was} into ${is}`
    : `renamed from ${was} to ${is}`;
  return [{ doctypeName: doctype.name, name: doc.name, type: 'Edit', html }];
}

/** Setting a File's document attaches it, and clearing it detaches it. Another document does both. */
function moved(registry: DoctypeRegistry, { name, doc, before }: DocEvent, fates: Fates): CommentDraft[] {
  if (name !== 'after_insert' && name !== 'on_trash' && name !== 'on_update') return [];
  const had = name === 'after_insert' ? null : targetOf(registry, name === 'on_trash' ? doc : before);
  const has = name === 'on_trash' ? null : targetOf(registry, doc);
  if (had && has && had.doctypeName === has.doctypeName && had.name === has.name) return [];
  const drafts: CommentDraft[] = [];
  if (had) drafts.push({ ...had, type: 'Attachment Removed', html: escapeHtml(titleOf(doc)) });
  if (has) drafts.push({ ...has, type: 'Attachment', html: linkTo(doc) });
  // A deleted document takes its files along, so a comment would have no reader.
  return drafts.filter((draft) => !fates.isDeleted(draft.doctypeName, draft.name));
}

/**
 * Null also for a file in a field with a higher permlevel, because every reader of the document sees its
 * comments.
 */
function targetOf(
  registry: DoctypeRegistry,
  file: Document | null,
): Pick<CommentDraft, 'doctypeName' | 'name'> | null {
  const [doctypeName, name] = [file?.['attached_to_doctype'], file?.['attached_to_name']];
  if (typeof doctypeName !== 'string' || typeof name !== 'string' || doctypeName === '' || name === '') {
    return null;
  }
  const field = file ? textOf(file, 'attached_to_field') : '';
  const doctype = registry.find(doctypeName);
  if (field !== '' && !(doctype && isOpenField(registry, doctype, field))) return null;
  return { doctypeName, name };
}

function linkTo(file: Document): string {
  const url = file['file_url'];
  const title = escapeHtml(titleOf(file));
  return typeof url === 'string' && url !== '' ? `<a href="${escapeHtml(url)}">${title}</a>` : title;
}

function titleOf(file: Document): string {
  return String(file['file_name'] ?? file.name);
}

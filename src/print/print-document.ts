import { requirePermission } from '../access/permission.ts';
import { sql } from '../db/sql.ts';
import type { DocType, Document } from '../doctype/doctype.ts';
import { wireName } from '../doctype/numbered.ts';
import type { Context } from '../document/contract.ts';
import { requireRight } from '../document/load/permit.ts';
import { readDocument } from '../document/verbs/read.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type Html, html } from '../kernel/html.ts';
import { recordsIn } from '../kernel/value.ts';
import { linkTitles } from './link-titles.ts';
import { type FormatRow, type PrintSection, partsOfForm, partsOfFormat } from './print-parts.ts';
import { rich } from './print-value.ts';
import { renderSections } from './render-print.ts';

/** A document to print, and how. */
export interface PrintRequest {
  readonly doctype: string;
  readonly name: string;
  /** Name of a Print Format; `Standard`: the layout of the form. Default: the doctype's own. */
  readonly format?: string | undefined;
  /** Name of a Letter Head. Default: the format's own, else the default one. */
  readonly letterhead?: string | undefined;
  readonly withoutLetterhead: boolean;
  /** The language of numbers and dates. Default: the user's. */
  readonly language?: string | undefined;
}

/** A printed document: the body of a page, without its styles. */
export interface PrintedPage {
  readonly title: string;
  readonly locale: string;
  readonly body: Html;
}

/**
 * A document as a page for paper, with what the user may read of it. Requires the right `print` on it.
 * @throws ServiceError PermissionError, DoesNotExistError; ValidationError for a format of another doctype
 */
export async function printDocument(ctx: Context, request: PrintRequest): Promise<PrintedPage> {
  const doctype = ctx.doctypes.get(request.doctype);
  requirePermission(ctx.user, doctype, 'print');
  const doc = await readDocument(ctx, doctype.name, request.name);
  await requireRight(ctx, doctype, 'print', doc);
  const format = await readFormat(ctx, doctype, request.format);
  const locale = await localeOf(ctx, request.language);
  const titleOf = await linkTitles(ctx, doctype, doc);
  const { currency } = ctx.site.settings;
  const printed = { user: ctx.user, doctypes: ctx.doctypes, doctype, doc, locale, titleOf, currency };
  const sections = renderSections(printed, format?.sections ?? partsOfForm(doctype));
  const head = request.withoutLetterhead
    ? null
    : await readLetterHead(ctx, request.letterhead ?? format?.letterHead ?? '');
  const name = String(wireName(doctype, doc.name));
  const title = String(doc[doctype.title_field] || name);
  return {
    title: `${doctype.name} ${title}`,
    locale,
    body: html`${head === null ? null : html`<header>${part(head.content)}</header>`}
<main>
<div class="title"><h1>${doctype.name}</h1>${state(doctype, doc)}</div>
${doctype.issingle ? null : html`<p class="about">${title === name ? name : `${name} · ${title}`}</p>`}
${sections}
</main>
${head === null ? null : html`<footer>${part(head.footer)}</footer>`}`,
  };
}

function part(content: string): Html | null {
  return content === '' ? null : rich(content);
}

function state({ is_submittable }: DocType, { docstatus }: Document): Html | null {
  if (!is_submittable || docstatus === 1) return null;
  return html`<span class="state">${docstatus === 2 ? 'Cancelled' : 'Draft'}</span>`;
}

interface Format {
  readonly sections: readonly PrintSection[];
  readonly letterHead: string;
}

/** Null for the layout of the form. */
async function readFormat(ctx: Context, doctype: DocType, asked: string | undefined): Promise<Format | null> {
  const name = asked ?? doctype.default_print_format;
  if (name === '' || name === 'Standard') return null;
  let format: Document;
  try {
    format = await readDocument(ctx, 'Print Format', name);
  } catch (error) {
    // The default may name a format of Frappe that this site does not have.
    if (asked === undefined && error instanceof ServiceError) return null;
    throw error;
  }
  if (format['doc_type'] !== doctype.name || format['disabled'] === 1) {
    if (asked === undefined) return null;
    throw new ServiceError('ValidationError', `Print Format ${name} does not print ${doctype.name}`);
  }
  const rows = recordsIn(format['parts']).map(formatRow);
  return { sections: partsOfFormat(doctype, rows), letterHead: String(format['letter_head'] ?? '') };
}

function formatRow(row: Readonly<Record<string, unknown>>): FormatRow {
  const text = (fieldname: string) => String(row[fieldname] ?? '');
  return {
    type: text('type'),
    fieldname: text('fieldname'),
    label: text('label'),
    columns: text('columns'),
    content: text('content'),
  };
}

async function readLetterHead(
  ctx: Context,
  asked: string,
): Promise<{ content: string; footer: string } | null> {
  const named = asked === '' ? sql`"is_default" = 1` : sql`"name" = ${asked}`;
  const row = await ctx.db.get(
    sql`select "content", "footer" from "Letter Head" where "disabled" = 0 and ${named}
        order by "modified" desc, "name" limit 1`,
  );
  if (!row && asked !== '') throw new ServiceError('DoesNotExistError', `Letter Head ${asked} not found`);
  return row ? { content: String(row['content'] ?? ''), footer: String(row['footer'] ?? '') } : null;
}

async function localeOf(ctx: Context, asked: string | undefined): Promise<string> {
  const language = asked ?? (await languageOfUser(ctx));
  try {
    return Intl.getCanonicalLocales(language.replaceAll('_', '-'))[0] ?? 'en';
  } catch {
    if (asked === undefined) return 'en';
    throw new ServiceError('ValidationError', '_lang must be a code such as en or de-CH');
  }
}

async function languageOfUser(ctx: Context): Promise<string> {
  const row = await ctx.db.get(sql`select "language" from "User" where "name" = ${ctx.user.name}`);
  return String(row?.['language'] || 'en');
}

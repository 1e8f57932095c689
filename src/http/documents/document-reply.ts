import type { FastifyRequest } from 'fastify';
import type { Site } from '../../document/contract.ts';
import { entityTag, revisionTag } from '../../document/load/entity-tag.ts';
import { presentDocument } from '../../document/load/present.ts';
import type { Stored } from '../../document/load/stored-text.ts';
import type { Ran } from '../../document/verbs/document-method.ts';
import { jsonText } from '../../kernel/json-text.ts';
import type { Fields } from '../../kernel/value.ts';
import type { Listed, ReadInFull, Revised } from '../../operation/documents.ts';
import { successNotice } from '../../operation/operation.ts';
import { presentResult } from '../../operation/present-result.ts';
import type { ListParameters } from '../../query/list-query.ts';
import { Answer, ListAnswer } from '../once.ts';
import { noticesIn } from '../reply.ts';
import { namesTag } from '../wire/names-tag.ts';
import type { Version } from './document-routes.ts';

/** `{"data": document}` without nulls, with its ETag. */
export function documentAnswer(site: Site, revised: Revised): Answer {
  return new Answer(
    documentBody(site, revised),
    200,
    revised.revision === null ? null : etagOf(site, revised),
  );
}

/** A document, or 304 for a client that has it. */
export function readAnswer(read: ReadInFull | Stored, site: Site, request: FastifyRequest): Answer {
  const isStored = 'text' in read;
  // Without an ETag: the parts change independently of the document.
  if (!isStored && read.parts)
    return new Answer(`${documentBody(site, read).slice(0, -1)},${jsonText(read.parts).slice(1)}`);
  const etag = isStored ? `"${revisionTag(site, read.revision)}"` : etagOf(site, read);
  if (namesTag(request.headers['if-none-match'], etag)) return new Answer('', 304, etag);
  const { timestampPrecision } = site.settings;
  const body = isStored ? `{"data":${read.text(timestampPrecision)}}` : documentBody(site, read);
  return new Answer(body, 200, etag);
}

function documentBody(site: Site, { doc }: Revised): string {
  const { timestampPrecision: precision } = site.settings;
  return jsonText({ data: presentDocument(site.doctypes, doc, { nulls: false, precision }) });
}

function etagOf(site: Site, { doc, revision }: Revised): string {
  return `"${entityTag(site, { doc, revision: revision ?? 0 })}"`;
}

/**
 * `{"data": rows}`. A page adds `has_next_page`. On request, the answer has the `cursor` of the next page,
 * where there is one, and `count` with `count_capped`, beyond the cap also `count_estimate`.
 */
export function listAnswer({ text, page }: Listed, query: ListParameters): ListAnswer {
  const after = page === null ? '}' : `,${JSON.stringify(beside(page, query)).slice(1)}`;
  return new ListAnswer('{"data":', text, after);
}

function beside(page: NonNullable<Listed['page']>, { after, include }: ListParameters): Fields {
  const { hasNextPage, count, countCapped, countEstimate } = page;
  const wantsCursor = (after !== undefined && after !== '') || String(include).includes('cursor');
  const cursor = wantsCursor ? page.cursor : null;
  const estimated = countEstimate === null ? {} : { count_estimate: countEstimate };
  const counted = count === null ? {} : { count, count_capped: countCapped, ...estimated };
  return { has_next_page: hasNextPage, ...(cursor === null ? {} : { cursor }), ...counted };
}

/** The answer to a deletion. */
export function deletedAnswer(version: Version): Answer {
  return new Answer(version === 'v1' ? '{"message":"ok","data":"ok"}' : '{"data":"ok"}', 202);
}

/** The result of a document's method, with its message in the form of the version. */
export function resultAnswer(version: Version, { result, message }: Ran, site: Site): Answer {
  const notices = message === null ? [] : [successNotice(message)];
  const beside = noticesIn(version === 'v1' ? 'message' : 'data', notices);
  return new Answer(jsonText({ data: presentResult(site, result) ?? null, ...beside }));
}

/** `{"data": value}` */
export function dataAnswer(data: unknown): Answer {
  return new Answer(jsonText({ data }));
}

import assert from 'node:assert/strict';
import { makeHistoryDoctypes } from './history-doctypes.ts';
import { type Engine, startTestSite, type TestReply, type TestSite, type TestSiteOptions } from './site.ts';

/** A site with the doctypes of the history tests, and short words for what they ask it. */
export class HistorySite {
  readonly site: TestSite;

  static async start(engine: Engine, options: TestSiteOptions = {}): Promise<HistorySite> {
    const site = await startTestSite(engine, options);
    await makeHistoryDoctypes(site);
    return new HistorySite(site);
  }

  private constructor(site: TestSite) {
    this.site = site;
  }

  stop(): Promise<void> {
    return this.site.stop();
  }

  ask(method: string, path: string, body?: unknown, as?: string): Promise<TestReply> {
    return this.site.request(method, `/api/resource/${path}`, {
      ...(body === undefined ? {} : { body }),
      ...(as === undefined ? {} : { as }),
    });
  }

  call(method: string, body: unknown, as?: string): Promise<TestReply> {
    return this.site.request('POST', `/api/method/${method}`, { body, ...(as === undefined ? {} : { as }) });
  }

  /** The same, and it must succeed; resolves to the document. */
  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape
  async did(method: string, path: string, body?: unknown, as?: string): Promise<any> {
    const reply = await this.ask(method, path, body, as);
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body.data;
  }

  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape
  async called(method: string, body: unknown, as?: string): Promise<any> {
    const reply = await this.call(method, body, as);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.message;
  }

  /** Rows of a list, oldest first. */
  async rows(
    doctype: string,
    filters: unknown,
    fields: readonly string[],
    as?: string,
    // biome-ignore lint/suspicious/noExplicitAny: rows of every shape
  ): Promise<any[]> {
    const query = new URLSearchParams({
      filters: JSON.stringify(filters),
      fields: JSON.stringify(fields),
      order_by: 'creation asc',
      limit_page_length: '500',
    });
    return this.did('GET', `${doctype}?${query}`, undefined, as);
  }

  /** What the versions of a document say, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON of every shape
  async versions(name: string, as?: string, doctype = 'Deal'): Promise<any[]> {
    const rows = await this.rows('Version', { ref_doctype: doctype, docname: name }, ['data'], as);
    return rows.map((row) => JSON.parse(row.data));
  }

  /** Types and contents of a document's comments, oldest first. */
  async comments(name: string, as?: string, doctype = 'Deal'): Promise<string[]> {
    const filters = { reference_doctype: doctype, reference_name: name };
    const rows = await this.rows('Comment', filters, ['comment_type', 'content'], as);
    return rows.map((row) => `${row.comment_type}: ${row.content}`);
  }
}

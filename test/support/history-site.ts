import { makeHistoryDoctypes } from './history-doctypes.ts';
import { type Engine, startTestSite, type TestReply, type TestSite, type TestSiteOptions } from './site.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON of every shape
type Any = any;

/** A site with the doctypes of the history tests, and short words for what they ask it. */
export interface HistorySite extends TestSite {
  ask(method: string, path: string, body?: unknown, as?: string): Promise<TestReply>;
  /** Rows of a list, oldest first. */
  rows(doctype: string, filters: unknown, fields: readonly string[], as?: string): Promise<Any[]>;
  /** What the versions of a document say, oldest first. */
  versions(name: string, as?: string, doctype?: string): Promise<Any[]>;
  /** Types and contents of a document's comments, oldest first. */
  comments(name: string, as?: string, doctype?: string): Promise<string[]>;
}

/** For `describeSite`. */
export function historySite(options: TestSiteOptions = {}): (engine: Engine) => Promise<HistorySite> {
  return async (engine) => {
    const site = await startTestSite(engine, options);
    await makeHistoryDoctypes(site);
    const rows: HistorySite['rows'] = (doctype, filters, fields, as) => {
      const query = new URLSearchParams({
        filters: JSON.stringify(filters),
        fields: JSON.stringify(fields),
        order_by: 'creation asc',
        limit_page_length: '500',
      });
      return site.did('GET', `${doctype}?${query}`, undefined, as);
    };
    return {
      ...site,
      ask: (method, path, body, as) => site.request(method, `/api/resource/${path}`, { body, as }),
      rows,
      async versions(name, as, doctype = 'Deal') {
        const found = await rows('Version', { ref_doctype: doctype, docname: name }, ['data'], as);
        return found.map((row) => JSON.parse(row.data));
      },
      async comments(name, as, doctype = 'Deal') {
        const filters = { reference_doctype: doctype, reference_name: name };
        const found = await rows('Comment', filters, ['comment_type', 'content'], as);
        return found.map((row) => `${row.comment_type}: ${row.content}`);
      },
    };
  };
}

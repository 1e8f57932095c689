import { ADMINISTRATOR } from '../../src/access/user.ts';
import type { DocType } from '../../src/doctype/doctype.ts';
import type { ApiScope } from '../../src/http/address/scope.ts';
import type { MethodTable } from '../../src/http/ask-method.ts';
import type { TestSite } from '../support/site.ts';

/** Names that documents are given on purpose, so that requests meet. */
export const NAMES: readonly string[] = [
  'A',
  'é',
  'a b',
  'a/b',
  '50% off',
  "O'Brien",
  '😀',
  'x#y?z&w=1',
  'copy',
  '100%25',
  '0',
];

/** What the requests have learned of the site so far: names, cursors, addresses of files. */
export class World {
  readonly users: readonly (string | null)[];
  /** What can be called by its name. */
  readonly operations: MethodTable;
  readonly cursors: string[] = [];
  readonly files: string[] = ['/files/x.txt', '/private/files/x.txt'];
  readonly etags: string[] = ['"1"'];
  readonly #site: TestSite;
  readonly #names = new Map<string, string[]>();

  constructor(site: TestSite, users: readonly (string | null)[], operations: MethodTable) {
    this.#site = site;
    this.users = users;
    this.operations = operations;
  }

  doctype(name: string): DocType | undefined {
    return this.#site.site.doctypes.find(name);
  }

  /** The doctypes that there are now, in the order of their names. */
  doctypes(): readonly DocType[] {
    return this.#site.site.doctypes.all();
  }

  /** For the OpenAPI description of addresses that are not about doctypes. */
  scope(): ApiScope {
    const { doctypes: registry, controllers } = this.#site.site;
    return { user: ADMINISTRATOR, registry, methods: this.operations, controllers, doctypes: [] };
  }

  /** Keeps the last names of each doctype. */
  learn(doctype: string, name: string): void {
    const names = this.#names.get(doctype) ?? [];
    names.push(name);
    if (names.length > 40) names.shift();
    this.#names.set(doctype, names);
  }

  /** A name that is probably there. */
  nameOf(doctype: string, pick: number): string {
    if (doctype === 'DocType') {
      const made = this.doctypes().filter(({ name }) => name.startsWith('Made '));
      const all = pick % 2 === 0 && made.length > 0 ? made : this.doctypes();
      return all[pick % all.length]?.name ?? 'Leaf';
    }
    const known = [...(this.#names.get(doctype) ?? []), ...(WELL_KNOWN.get(doctype) ?? NAMES.slice(0, 3))];
    return known[pick % known.length] ?? 'A';
  }

  /** The last one of a list that grows; or `other` while there is none. */
  oneOf(list: readonly string[], pick: number, other = ''): string {
    return list[pick % Math.max(1, list.length)] ?? other;
  }
}

const WELL_KNOWN = new Map<string, readonly string[]>(
  Object.entries({
    Role: ['All', 'Guest', 'Staff', 'System Manager'],
    User: ['staff@example.com', 'Administrator', 'Guest', 'nobody@example.com'],
    File: ['Home', 'Home/Attachments'],
    Config: ['Config'],
    Gauge: ['g1', 'g999'],
  }),
);

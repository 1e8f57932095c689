import type { CurrentUser } from '../access/user.ts';
import type { Sql } from '../db/sql.ts';
import type { DocType, DoctypeRegistry } from '../doctype/doctype.ts';

/** The context in which list parameters are parsed. */
export interface QueryScope {
  readonly registry: DoctypeRegistry;
  readonly user: CurrentUser;
  /** Now in the stored form, in the site's time zone: `between` with one bound runs to today. */
  now(): string;
  /**
   * The rows of a doctype that the user may read, as a condition on its own unqualified columns, null meaning
   * all; for filters through a link. Default: by permissions. Set it if more than permissions decides.
   */
  readonly rowsOf?: (doctype: DocType) => Sql | null;
  /** The right of the list; with `select` alone it shows only the fields of a picker. Default `read`. */
  readonly right?: 'read' | 'select';
  /** The doctype whose permissions apply to the fields of a child doctype. Default: its own. */
  readonly parent?: DocType;
  /** Largest page for a user who is not an administrator; default `LIMITS.maxPageLength`. */
  readonly maxPageLength?: number;
}

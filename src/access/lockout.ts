import type { DocPerm, DocType, Right } from '../doctype/doctype.ts';
import type { CurrentUser } from './user.ts';

/** A consequence of new permission rows that their author should confirm. */
export interface Lockout {
  /**
   * `nobody`: no role can read the documents any more. `yourself`: the author loses rights. `managers`: System
   * Managers lose rights on a doctype of the server.
   */
  readonly kind: 'nobody' | 'yourself' | 'managers';
  readonly doctype: string;
  /** The lost rights. */
  readonly rights: readonly Right[];
  readonly message: string;
}

type Rows = readonly DocPerm[];

/** The rights that are missed at once. */
const MISSED: readonly Right[] = ['read', 'write', 'create', 'delete'];

/** What a change of a doctype's rows would lock, and whom. */
export function lockouts(user: CurrentUser, doctype: DocType, before: Rows, after: Rows): Lockout[] {
  const { name } = doctype;
  const found: Lockout[] = [];
  const add = (kind: Lockout['kind'], rights: readonly Right[], message: string) =>
    found.push({ kind, doctype: name, rights, message });
  if (reach(after, 'read') === 0 && reach(before, 'read') > 0) {
    add('nobody', ['read'], `Only Administrator could still read ${name}.`);
  }
  const levels = [...new Set(before.map(({ permlevel }) => permlevel))];
  const lostBy = (roles: ReadonlySet<string>) =>
    MISSED.filter((right) =>
      levels.some((level) => reach(after, right, level, roles) < reach(before, right, level, roles)),
    );
  const own = user.isAdministrator ? [] : lostBy(user.roles);
  if (own.length > 0) add('yourself', own, `You would lose ${own.join(', ')} on ${name}.`);
  const managers = doctype.app === 'standard' ? lostBy(MANAGERS) : [];
  if (managers.length > 0) {
    add('managers', managers, `System Managers would lose ${managers.join(', ')} on ${name}.`);
  }
  return found;
}

const MANAGERS: ReadonlySet<string> = new Set(['System Manager', 'Desk User', 'All', 'Guest']);

/** 0: no document; 1: the user's own; 2: every document. Without roles: of any role. */
function reach(rows: Rows, right: Right, level = 0, roles: ReadonlySet<string> | null = null): 0 | 1 | 2 {
  const found = rows.filter(
    (row) => row.permlevel === level && row.rights.has(right) && (roles?.has(row.role) ?? true),
  );
  if (found.length === 0) return 0;
  return found.every((row) => row.if_owner) ? 1 : 2;
}

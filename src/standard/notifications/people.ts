import type { Connection } from '../../db/database.ts';
import { join, sql } from '../../db/sql.ts';

/** How a user is shown to others. */
export interface Person {
  readonly name: string;
  readonly fullname: string;
  readonly image: string;
}

/** The names and images of users that a reader sees anyway. */
export async function peopleOf(db: Connection, names: Iterable<string>): Promise<Person[]> {
  const wanted = [...new Set(names)];
  if (wanted.length === 0) return [];
  const rows = await db.all(
    sql`select "name", "full_name", "user_image" from "User"
        where "name" in (${join(wanted.map((name) => sql`${name}`))}) order by "full_name", "name"`,
  );
  return rows.map((row) => ({
    name: String(row['name']),
    fullname: String(row['full_name'] || row['name']),
    image: String(row['user_image'] ?? ''),
  }));
}

import type { Database, DatabaseOptions } from './database.ts';
import { UnusableDatabase } from './unusable.ts';

/**
 * Opens `sqlite:<absolute path>` or `postgres://…`. Our own URL parameters: `schema`, which is created when
 * missing; `unsafe=1` accepts a server without fsync. The PostgreSQL driver is loaded only when needed.
 * @throws UnusableDatabase
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  if (url.startsWith('sqlite:')) {
    if (options.replicas?.length) {
      throw new UnusableDatabase('read replicas need PostgreSQL: remove the setting databaseReplicas');
    }
    const { openSqlite } = await import('./sqlite/connect.ts');
    return openSqlite(url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, ''), options);
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import('./postgres/connect.ts');
    return openPostgres(url, options);
  }
  throw new Error('the database URL must begin with sqlite: or postgres://');
}

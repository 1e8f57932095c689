import type { Connection, Database } from '../../src/db/database.ts';
import { render, Sql, type Statement } from '../../src/db/sql.ts';

/** The database, which adds the statements that it is sent to `sent`. */
export function notedDatabase(database: Database, sent: Statement[]): Database {
  const wrap = (connection: Connection): Connection => {
    const { dialect } = connection;
    const note = (query: Sql | Statement): Statement => {
      const statement = query instanceof Sql ? render(query, dialect.hole) : query;
      sent.push(statement);
      return statement;
    };
    return {
      dialect,
      all: (query, most) => connection.all(note(query), most),
      get: (query) => connection.get(note(query)),
      run: (query) => connection.run(note(query)),
    };
  };
  return Object.create(database, {
    reader: { value: wrap(database.reader) },
    transaction: {
      value: <T>(work: (connection: Connection) => Promise<T>) => database.transaction((c) => work(wrap(c))),
    },
  });
}

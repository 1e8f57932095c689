import type { SpanMaker } from '../observe/tracing.ts';
import type { Connection, Database, Replicas, Row } from './database.ts';
import { render, Sql, type Statement } from './sql.ts';

/**
 * The same database, whose statements and transactions are spans below the active one. Statements are shown with
 * placeholders, never with values.
 */
export function tracedDatabase(database: Database, tracing: SpanMaker): Database {
  const system = database.dialect.name === 'sqlite' ? 'sqlite' : 'postgresql';
  const reader = tracedConnection(database.reader, tracing, system);
  return {
    dialect: database.dialect,
    reader,
    single: (query) => duringStatement(tracing, system)(query, () => database.single(query)),
    notices: database.notices,
    replicas: database.replicas && tracedReplicas(database.replicas, tracing, system),
    indexBuilds: database.indexBuilds,
    ...(database.followedLog && { followedLog: database.followedLog }),
    transaction: (work) =>
      tracing.during('transaction', { 'db.system.name': system }, () =>
        // A queue of transactions calls it, which belongs to no request.
        database.transaction(
          tracing.bind((connection) => work(tracedConnection(connection, tracing, system))),
        ),
      ),
    ...(database.refresh && { refresh: (isNew) => database.refresh?.(isNew) }),
    ping: () => database.ping(),
    close: () => database.close(),
  };
}

function tracedReplicas(replicas: Replicas, tracing: SpanMaker, system: string): Replicas {
  return {
    get asked() {
      return replicas.asked;
    },
    reads: replicas.reads,
    positionAfter: (asked) => replicas.positionAfter(asked),
    at(needed, loaded) {
      const connection = replicas.at(needed, loaded);
      return connection && tracedConnection(connection, tracing, system);
    },
    figures: () => replicas.figures(),
  };
}

function tracedConnection(connection: Connection, tracing: SpanMaker, system: string): Connection {
  const { dialect } = connection;
  const during = duringStatement(tracing, system);
  const { send, takeTurn, count, giveBack, askTogether, spendReserve, withNext } = connection;
  return {
    dialect,
    all: (query, most) => during(query, () => connection.all(query, most)),
    get: (query) => during(query, () => connection.get(query)),
    run: (query) => during(query, () => connection.run(query)),
    ...(send && {
      send(query) {
        const sent = connection.send?.(query);
        return sent ? during<Row[]>(query, () => sent) : null;
      },
    }),
    ...(takeTurn && { takeTurn: (name) => connection.takeTurn?.(name) ?? Promise.resolve() }),
    ...(count && { count: count.bind(connection) }),
    ...(giveBack && { giveBack: giveBack.bind(connection) }),
    ...(askTogether && { askTogether: askTogether.bind(connection) }),
    ...(spendReserve && { spendReserve: spendReserve.bind(connection) }),
    ...(withNext && { withNext: (go) => connection.withNext?.(go) }),
  };
}

function duringStatement(tracing: SpanMaker, system: string) {
  return <T>(query: Sql | Statement, work: () => Promise<T>): Promise<T> => {
    const { text } = query instanceof Sql ? render(query, () => '?') : query;
    return tracing.during(nameOf(text), { 'db.system.name': system, 'db.query.text': text }, work);
  };
}

/** `select User`: the verb, and the first table. */
function nameOf(text: string): string {
  const [verb = 'statement'] = /[a-z]+/i.exec(text) ?? [];
  const table = /\b(?:from|into|update)\s+(?:"[^"]*"\.)?"([^"]+)"/i.exec(text)?.[1];
  return table === undefined ? verb.toLowerCase() : `${verb.toLowerCase()} ${table}`;
}

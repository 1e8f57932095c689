import type { Client } from 'pg';
import type { DatabaseOptions } from '../database.ts';
import { ownClient } from './client.ts';
import { Hosts } from './hosts.ts';
import type { Positions } from './positions.ts';
import { PostgresReader } from './reader.ts';
import { Replica, requireSameCluster } from './replica.ts';
import { PostgresReplicas } from './replicas.ts';
import { type Session, sessionOf } from './session.ts';
import type { PostgresSettings } from './settings.ts';
import { Silence } from './silence.ts';

/** The pipelined connections to each replica. */
const READERS = 2;

/**
 * The replicas at these URLs. None of them needs to be there now. `session` and `primary` are those of the primary,
 * whose tables and statements the replicas share.
 */
export function openReplicas(
  Driver: typeof Client,
  all: readonly PostgresSettings[],
  session: Session,
  primary: PostgresReader,
  positions: Positions,
  options: Required<Pick<DatabaseOptions, 'queryTimeout'>> & DatabaseOptions,
): PostgresReplicas {
  const { queryTimeout } = options;
  const replicas = all.map((settings) => {
    const hosts = new Hosts(settings.urls, (config) => new Driver(config));
    const silence = new Silence(() => hosts.reach(settings.client));
    const Reading = ownClient(Driver, setImmediate, hosts, silence);
    const found = { schema: session.schema, isPooled: false, prepares: settings.mayPrepare };
    const own = { ...sessionOf(settings, found, options), dialect: session.dialect };
    const check = (client: Client) => requireSameCluster(client, primary);
    const reader = new PostgresReader(() => new Reading(own.reading), own, READERS, queryTimeout, check);
    const host = new URL(hosts.url(0)).host;
    return new Replica(host, reader, silence, (problem) =>
      options.onWarning?.(`the read replica ${host} is not used: ${problem}`),
    );
  });
  return new PostgresReplicas(replicas, positions, primary, queryTimeout);
}

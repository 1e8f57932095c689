import type { PostgresNode } from './postgres-cluster.ts';
import { until } from './until.ts';

/** Asks a standby; no rows when it fails. What a standby replays cancels statements, so ask again. */
export function askStandby(node: PostgresNode, text: string): ReturnType<PostgresNode['ask']> {
  return node.ask(text).catch(() => []);
}

/** Lets a standby stand still, or go on, and resolves when it does. */
export async function setReplay(node: PostgresNode, doing: 'pause' | 'resume'): Promise<void> {
  await until(async () => {
    await askStandby(node, `select pg_wal_replay_${doing}()`);
    const [row] = await askStandby(node, 'select pg_get_wal_replay_pause_state() as state');
    return row?.['state'] === (doing === 'pause' ? 'paused' : 'not paused');
  });
}

/** The URL of a server of `startCluster`. */
export function nodeUrl(host: string, user = 'postgres'): string {
  return `postgres://${user}@${host}/postgres?unsafe=1`;
}

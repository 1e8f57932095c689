import { queryOptions } from '@tanstack/react-query';
import { callMethod, readMethod } from '../../data/api.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';

/** A session of a user. */
export interface Session {
  readonly id: string;
  readonly created: string;
  readonly last_used: string;
  readonly address: string | null;
  readonly user_agent: string | null;
  /** 1 for the session of this request. */
  readonly current: 0 | 1;
}

const METHOD = 'chancery.auth.sessions';

/** The sessions of a user, newest first. */
export function sessionsQuery(user: string) {
  return queryOptions({
    queryKey: keys.method(METHOD, { user }),
    queryFn: ({ signal }) => readMethod<readonly Session[]>(METHOD, { user }, { signal }),
  });
}

/** Ends one session. */
export async function endSession(user: string, id: string): Promise<void> {
  await callMethod('chancery.auth.end_session', { user, id });
  await refresh();
}

/** Ends all sessions of a user except the caller's. Resolves to their number. */
export async function endOtherSessions(user: string): Promise<number> {
  const { ended } = await callMethod<{ ended: number }>('chancery.auth.end_other_sessions', { user });
  await refresh();
  return ended;
}

async function refresh(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['method', METHOD] });
}

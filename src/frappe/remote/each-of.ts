import { LIMITS } from '../../kernel/limits.ts';

/** Works on some items at a time, as many as there are connections. After a failure it begins no more. */
export async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await work(item).catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: LIMITS.remoteConnections }, worker));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

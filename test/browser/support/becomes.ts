import { inspect, isDeepStrictEqual } from 'node:util';
import { until } from '../../support/until.ts';

/**
 * Waits until what `read` finds on a page equals `expected`, because a page shows the effect of an action
 * some time after it. Rejects with the last value.
 */
export async function becomes<T>(read: () => Promise<T>, expected: T): Promise<void> {
  await until(read, (found) => isDeepStrictEqual(found, expected), inspect(expected));
}

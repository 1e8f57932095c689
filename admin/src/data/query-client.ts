import { QueryClient } from '@tanstack/react-query';
import { isApiError } from './api-error.ts';

/** Milliseconds for which a cached answer is fresh. The change feed invalidates it sooner. */
const FRESH = 30_000;

/** Milliseconds between the attempts to read what could not be read without a connection. */
export const RETRY_OFFLINE = 5_000;

/** The page's only cache of server answers. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH,
      refetchOnWindowFocus: true,
      // Network failures and a busy server are retried; refusals are not.
      retry: (failures, error) => failures < 2 && isPassing(error),
      retryDelay: (failures, error) =>
        Math.max(isApiError(error) ? (error.retryAfter ?? 0) * 1_000 : 0, 500 * 2 ** failures),
      // Offline, a request fails at once instead of waiting silently, and is sent again by itself.
      networkMode: 'always',
      refetchOnReconnect: true,
      refetchInterval: ({ state: { error } }) =>
        isApiError(error) && error.status === 0 ? RETRY_OFFLINE : false,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

function isPassing(error: unknown): boolean {
  return isApiError(error) && (error.status === 0 || error.status === 503);
}

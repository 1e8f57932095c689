import { lookup } from 'node:dns';

/** Resolves a host name to all of its addresses; tests supply their own. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * While a name server does not answer, the system's resolver occupies one of the few threads that also read
 * files. So this many names are resolved at a time, and only one of those that were slow the last time.
 */
const AT_A_TIME = 2;
/** Milliseconds. */
const SLOW = 1_000;
const SLOW_NAMES = 1_000;

/**
 * Asks the system's resolver, like every program on this machine. Concurrent lookups of one name share one
 * request.
 */
export function systemResolver(resolve: Resolve = askSystem): Resolve {
  const asked = new Map<string, Promise<readonly string[]>>();
  const waiting: Waiting[] = [];
  const slow = new Set<string>();
  let running = 0;
  let slowRunning = 0;

  const mayRun = (name: string) => running < AT_A_TIME && (slowRunning === 0 || !slow.has(name));

  function goOn(): void {
    const index = waiting.findIndex(({ hostname }) => mayRun(hostname));
    const next = index < 0 ? null : waiting.splice(index, 1)[0];
    if (next) void run(next);
  }

  async function run({ hostname, settle, fail }: Waiting): Promise<void> {
    const wasSlow = slow.has(hostname);
    const begun = performance.now();
    running += 1;
    if (wasSlow) slowRunning += 1;
    try {
      settle(await resolve(hostname));
    } catch (error) {
      fail(error);
    }
    running -= 1;
    if (wasSlow) slowRunning -= 1;
    asked.delete(hostname);
    slow.delete(hostname);
    if (performance.now() - begun > SLOW && slow.size < SLOW_NAMES) slow.add(hostname);
    goOn();
  }

  return (hostname) => {
    const known = asked.get(hostname);
    if (known) return known;
    const answer = new Promise<readonly string[]>((settle, fail) => {
      waiting.push({ hostname, settle, fail });
    });
    asked.set(hostname, answer);
    goOn();
    return answer;
  };
}

interface Waiting {
  readonly hostname: string;
  readonly settle: (addresses: readonly string[]) => void;
  readonly fail: (error: unknown) => void;
}

function askSystem(hostname: string): Promise<readonly string[]> {
  return new Promise((settle, reject) => {
    lookup(hostname, { all: true, order: 'verbatim' }, (error, addresses) => {
      if (error) reject(error);
      else settle(addresses.map((found) => found.address));
    });
  });
}

import type { Comparison, Follower, Round } from '../frappe/remote/follower.ts';
import { isFailure } from '../frappe/remote/remote-error.ts';
import type { RemoteFiles } from '../frappe/remote/remote-files.ts';
import type { SiteHooks } from '../frappe/remote/site-hooks.ts';
import { LIMITS } from '../kernel/limits.ts';
import { waited } from '../kernel/wait.ts';
import type { showProgress } from './show-progress.ts';

/** Names that a line of the command lists. */
export const MOST_SHOWN = 20;

export interface Following {
  readonly follower: Follower;
  carryFiles(): Promise<RemoteFiles>;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
  readonly progress: ReturnType<typeof showProgress>;
  /** Milliseconds between polls. */
  readonly interval: number;
  /** The site's webhooks, which ask for earlier polls of their doctypes. */
  readonly hooks?: SiteHooks | undefined;
}

interface FollowOptions {
  readonly isFollowing: boolean;
  /** Ends when names and versions agree. */
  readonly isUntilAgreed: boolean;
  /** Documents that the load could not store. */
  readonly failed: number;
}

/**
 * Compares the site with what is here, and polls it until it is interrupted or agrees. Resolves to the exit code:
 * 0 when all documents of the site are here.
 */
export async function followRemote(
  following: Following,
  { isFollowing, isUntilAgreed, failed }: FollowOptions,
): Promise<number> {
  const { follower, signal, print, interval, hooks } = following;
  let compared = await compareOnce(following);
  // A comparison repairs what changed while the site was read.
  if (compared && !compared.isAgreed && !isFollowing) compared = await compareOnce(following);
  if (!isFollowing) return compared?.isAgreed && failed === 0 ? 0 : 1;
  let last = performance.now();
  let due = last + interval;
  const isDone = () => isUntilAgreed && compared?.isAgreed === true;
  if (!isDone())
    print(
      `Following, every ${interval / 1000} s${hooks ? ' and after webhooks' : ''}. Ctrl+C ends it; the same command goes on.`,
    );
  while (!isDone() && (await waitFor(following, due))) {
    const woken = hooks?.take();
    const only = woken && woken.size > 0 && performance.now() < due ? woken : undefined;
    const round = await attempt(following, () => follower.poll(only));
    if (round) report(following, round);
    if (round && round.stored > 0 && only?.has('File') !== false) {
      await attempt(following, () => following.carryFiles());
    }
    if (only) continue;
    if (round && (isUntilAgreed || performance.now() - last >= LIMITS.remoteCompare)) {
      compared = await compareOnce(following);
      last = performance.now();
    }
    due = performance.now() + interval;
  }
  return !isUntilAgreed || (compared?.isAgreed && !signal.aborted) ? 0 : 1;
}

/** Waits until the next poll is due, or for a webhook. */
async function waitFor({ signal, interval, progress, hooks }: Following, due: number): Promise<boolean> {
  progress.show('Up to date');
  // Waiting alone does not keep a process running.
  const alive = setInterval(() => {}, interval);
  const rest = () => Math.max(0, due - performance.now());
  try {
    if (!hooks) return await waited(rest(), signal);
    if (!(await waited(Math.min(LIMITS.remoteHookPause, rest()), signal))) return false;
    await hooks.arrived(rest(), signal);
    return !signal.aborted;
  } finally {
    clearInterval(alive);
  }
}

/** Null after a failure that may pass: the next round looks again. */
async function attempt<T>({ signal, print }: Following, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) return null;
    if (!isFailure(error, 'unreachable')) throw error;
    print(`${(error as Error).message}. Trying again`);
    return null;
  }
}

async function compareOnce(following: Following): Promise<Comparison | null> {
  const compared = await attempt(following, () => following.follower.compare());
  if (compared === null) return null;
  await attempt(following, () => following.carryFiles());
  report(following, compared);
  const { print } = following;
  const there = compared.counts.values().reduce((sum, count) => sum + count.there, 0);
  if (compared.isAgreed) {
    print(`Names and counts agree: ${there} documents of ${compared.counts.size} doctypes.`);
    return compared;
  }
  const different = [...compared.counts].filter(([, count]) => count.there !== count.here);
  for (const [doctype, count] of different.slice(0, MOST_SHOWN)) {
    print(`${doctype}: ${count.there} documents there, ${count.here} here`);
  }
  if (different.length === 0) print('Counts agree after this comparison. The next one confirms it.');
  return compared;
}

function report(
  { print, progress }: Following,
  { stored, removed, failed, conflicts, refused }: Round,
): void {
  progress.end();
  if (stored + removed + failed > 0) {
    print(
      `${stored} documents stored, ${removed} deleted${failed > 0 ? `, ${failed} refused (see the log of the load)` : ''}`,
    );
  }
  const names = [...conflicts].sort();
  for (const name of names.slice(0, MOST_SHOWN)) print(`Changed here, and left as it is: ${name}`);
  if (names.length > MOST_SHOWN) print(`… and ${names.length - MOST_SHOWN} more`);
  for (const [doctype, why] of refused) print(`${doctype}: ${why}`);
}

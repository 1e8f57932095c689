/** What a client knows of a change: it is stored, it is not, or nobody can tell. */
export type Outcome = 'acknowledged' | 'refused' | 'unknown';

/** A creation, and what became of it as the client saw it. */
export interface Entry {
  readonly kind: 'document' | 'file';
  /** Each creation has its own. */
  readonly title: string;
  outcome: Outcome;
  /** As the reply told it. */
  name: string | null;
  /** The last acknowledged change, and the last one that may be stored. */
  step: number;
  maybe: number;
  /** The time of the last acknowledgement; milliseconds since 1970. */
  at?: number;
  /** Of a file: its address, and the digest of the bytes. */
  path?: string;
  digest?: string;
  /** Requests and replies. */
  readonly log: string[];
}

/** A document or a file of the site. */
export interface Stored {
  readonly title: string;
  readonly name: string;
  readonly step: number;
}

/** A reply as it concerns the contract. */
export interface Reply {
  /** 0: none came. */
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly text: string;
}

/** Statuses that say that nothing was changed, and when to try again. */
const REFUSALS = [503, 507];

/** What docs/wire.md says about a reply; `fault` if it has no such reply. */
export function outcomeOf({ status, headers, text }: Reply): { outcome: Outcome; fault: string | null } {
  if (status >= 200 && status < 300) return { outcome: 'acknowledged', fault: null };
  // The proxy speaks HTML. It cannot know what a node has done.
  if (status === 0 || !text.startsWith('{')) return { outcome: 'unknown', fault: null };
  const type = /"exc_type":\s*"(\w+)"/.exec(text)?.[1];
  if (REFUSALS.includes(status)) {
    const fault = headers.get('retry-after') === null ? 'a refusal without Retry-After' : null;
    return { outcome: 'refused', fault };
  }
  if (type === 'IdempotencyInProgressError') return { outcome: 'unknown', fault: null };
  if (type === 'OutcomeUnknownError') {
    const fault = headers.get('retry-after') === null ? null : 'an unknown outcome that invites a retry';
    return { outcome: 'unknown', fault };
  }
  return { outcome: status >= 500 ? 'unknown' : 'refused', fault: 'an unexpected reply' };
}

/** Holds what is stored against the journal. Each line says what is wrong; none: nothing is. */
export function compare(entries: readonly Entry[], stored: readonly Stored[]): readonly string[] {
  const faults: string[] = [];
  const byTitle = Map.groupBy(stored, ({ title }) => title);
  for (const entry of entries) {
    const found = byTitle.get(entry.title) ?? [];
    byTitle.delete(entry.title);
    const names = found.map(({ name }) => name).join();
    const say = (what: string) =>
      faults.push([`${entry.title} ${what} (${names})`, ...entry.log].join('\n    '));
    if (found.length > 1) say('is stored more than once');
    if (entry.outcome === 'refused' && found.length > 0) say('was refused and is stored');
    if (entry.outcome !== 'acknowledged') continue;
    if (found.length === 0) say('was acknowledged and is lost');
    for (const { name, step } of found) {
      if (name !== entry.name) say(`was acknowledged as ${entry.name}`);
      else if (step < entry.step || step > entry.maybe)
        say(`has step ${step}, not ${entry.step} to ${entry.maybe}`);
    }
  }
  for (const title of byTitle.keys()) faults.push(`${title} is stored, and nobody made it`);
  return faults;
}

/** Entries whose last acknowledgement is lost: the document, or a change of it. */
export function losses(entries: readonly Entry[], stored: readonly Stored[]): readonly Entry[] {
  const steps = new Map(stored.map(({ title, name, step }) => [`${title} ${name}`, step]));
  return entries.filter(
    ({ outcome, title, name, step }) =>
      outcome === 'acknowledged' && (steps.get(`${title} ${name}`) ?? -2) < step,
  );
}

/** Gaps and doubles in the numbers of a series. */
export function gaps(names: readonly string[]): readonly string[] {
  const numbers = names.map((name) => Number(name.replace(/^.*\D/, ''))).sort((a, b) => a - b);
  return numbers.flatMap((number, index) => {
    const before = numbers[index - 1] ?? 0;
    return number === before + 1 ? [] : [`the series goes from ${before} to ${number}`];
  });
}

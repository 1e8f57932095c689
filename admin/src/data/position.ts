/** Changes of others that this page was told of, and how many of them its own last change came after. */
let told = 0;
let covered = 0;

/** Others changed something. A read replica may not have it yet, so the primary answers from now on. */
export function noteNews(): void {
  told += 1;
}

/**
 * The header of a request, and a function to be called with the status of its reply (null: there was none). The
 * cookie of a change covers what this page was told before. A change that failed in the server may have been made
 * nevertheless, like one of others.
 */
export function positionOf(verb: string): {
  readonly headers: Readonly<Record<string, string>>;
  readonly answered: (status: number | null) => void;
} {
  if (verb === 'GET') {
    return { headers: told > covered ? { 'x-chancery-position': 'primary' } : {}, answered: () => {} };
  }
  const before = told;
  return {
    headers: {},
    answered(status) {
      if (status === null || status >= 500) noteNews();
      else if (status < 400) covered = Math.max(covered, before);
    },
  };
}

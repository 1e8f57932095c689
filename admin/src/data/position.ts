/** Changes of others that this page was told of, and how many of them its own last change came after. */
let told = 0;
let covered = 0;

/** Others changed something. A read replica may not have it yet, so the primary answers from now on. */
export function noteNews(): void {
  told += 1;
}

/**
 * The header of a request, and a function to be called after its success: the cookie of a change covers what this
 * page was told before.
 */
export function positionOf(verb: string): {
  readonly headers: Readonly<Record<string, string>>;
  readonly succeeded: () => void;
} {
  if (verb === 'GET') {
    return { headers: told > covered ? { 'x-chancery-position': 'primary' } : {}, succeeded: () => {} };
  }
  const before = told;
  return {
    headers: {},
    succeeded() {
      covered = Math.max(covered, before);
    },
  };
}

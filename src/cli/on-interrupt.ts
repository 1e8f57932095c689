/** Aborts `signal` at the first Ctrl+C or SIGTERM, so that a command ends in order; a second one ends the process. */
export function onInterrupt(): { readonly signal: AbortSignal; end(): void } {
  const abort = new AbortController();
  const stop = () => abort.abort();
  for (const name of SIGNALS) process.once(name, stop);
  const end = () => {
    for (const name of SIGNALS) process.off(name, stop);
  };
  return { signal: abort.signal, end };
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Aborts `signal` at the first Ctrl+C, so that a command ends in order; a second one ends the process. */
export function onInterrupt(): { readonly signal: AbortSignal; end(): void } {
  const abort = new AbortController();
  const stop = () => abort.abort();
  process.once('SIGINT', stop);
  return { signal: abort.signal, end: () => void process.off('SIGINT', stop) };
}

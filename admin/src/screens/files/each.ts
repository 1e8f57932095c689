/** Result of an action on many items. */
export interface Outcome {
  readonly done: number;
  readonly failures: readonly { readonly name: string; readonly error: unknown }[];
}

/** Runs an action on each name in order, several at a time. A failure does not stop the others. */
export async function forEachName(
  names: readonly string[],
  run: (name: string) => Promise<unknown>,
  onProgress: (finished: number) => void,
  atOnce = 4,
): Promise<Outcome> {
  const failures: { name: string; error: unknown }[] = [];
  const waiting = [...names].reverse();
  let finished = 0;
  const work = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const current = name;
      await run(current).catch((error: unknown) => failures.push({ name: current, error }));
      finished += 1;
      onProgress(finished);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, names.length) }, work));
  return { done: names.length - failures.length, failures };
}

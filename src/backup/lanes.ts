/** Runs `work` on each item, a few at once. The first failure ends it. */
export async function inLanes<T>(
  items: AsyncIterable<T>,
  lanes: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const source = items[Symbol.asyncIterator]();
  let isOver = false;
  const lane = async () => {
    try {
      while (!isOver) {
        const { value, done } = await source.next();
        if (done) isOver = true;
        else await work(value);
      }
    } catch (error) {
      isOver = true;
      throw error;
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
  } finally {
    await source.return?.();
  }
}

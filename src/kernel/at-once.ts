/** Begins a piece of work; it calls `end` once, when it is done. */
export type Begin = (end: () => void) => void;

/** Begins at most `most` pieces of work at once, the others in order as earlier ones end. */
export function atOnce(most: number): (begin: Begin) => void {
  const waiting: Begin[] = [];
  let begun = 0;
  const beginMore = () => {
    while (begun < most) {
      const begin = waiting.shift();
      if (!begin) return;
      begun += 1;
      begin(() => {
        begun -= 1;
        beginMore();
      });
    }
  };
  return (begin) => {
    waiting.push(begin);
    beginMore();
  };
}

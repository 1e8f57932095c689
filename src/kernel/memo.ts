/** Makes a function that computes its value once per key. The value is garbage-collected with the key. */
export function memo<K extends WeakKey, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}

/** The same for each pair of keys. The value is garbage-collected with either key. */
export function memo2<K extends WeakKey, L extends WeakKey, V>(
  make: (first: K, second: L) => V,
): (first: K, second: L) => V {
  const ofFirst = memo((first: K) => memo((second: L) => make(first, second)));
  return (first, second) => ofFirst(first)(second);
}

/**
 * A valid identifier for each doctype: `Sales Invoice` becomes `SalesInvoice`, and another doctype of the
 * same letters `SalesInvoice2`. Pass the doctypes in a fixed order, so that the names are stable.
 */
export function typeNames(
  doctypeNames: readonly string[],
  reserved: Iterable<string> = [],
): ReadonlyMap<string, string> {
  const taken = new Set(reserved);
  return new Map(
    doctypeNames.map((name) => {
      const plain = name
        .split(/[^A-Za-z0-9]+/)
        .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
        .join('');
      let unique = plain;
      for (let number = 2; taken.has(unique); number += 1) unique = `${plain}${number}`;
      taken.add(unique);
      return [name, unique];
    }),
  );
}

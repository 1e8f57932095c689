/**
 * The canonical name of the user with this address: lower case, with plain letters for other widths and
 * shapes, so that two users never differ in these only.
 */
export function canonicalUserName(address: string): string {
  return address.trim().normalize('NFKC').toLowerCase().normalize('NFC');
}

/**
 * The name of the user with this address, however it was typed: in lower case, and letters of another width or shape as the
 * plain ones, so that no two users look alike by these.
 */
export function canonicalUserName(address: string): string {
  return address.trim().normalize('NFKC').toLowerCase().normalize('NFC');
}

/** A stored object has lost bytes: it has fewer than the site stored. Nothing a caller did, so it is no ServiceError. */
export class ShortObjectError extends Error {
  constructor(key: string) {
    super(`The stored object ${key} has fewer bytes than were stored`);
    this.name = 'ShortObjectError';
  }
}

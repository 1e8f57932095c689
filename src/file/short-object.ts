/**
 * A stored object has fewer bytes than the site stored. The caller did not cause it, so it is not a
 * ServiceError.
 */
export class ShortObjectError extends Error {
  constructor(key: string) {
    super(`The stored object ${key} has fewer bytes than were stored`);
    this.name = 'ShortObjectError';
  }
}

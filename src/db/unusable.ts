/**
 * A database that cannot be used in its current state. The message tells the operator why, without the
 * password.
 */
export class UnusableDatabase extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnusableDatabase';
  }
}

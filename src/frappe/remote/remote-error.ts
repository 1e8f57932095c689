/**
 * A failed request to a Frappe site. `credentials`: it knows no such key. `denied`: the key may not. `missing`: no such
 * document, doctype or method. `refused`: it does not accept the request. `large`: its response exceeds the limit.
 * `unreachable`: no usable response after all attempts. `stranger`: the server is no Frappe site.
 */
export type RemoteFailure =
  | 'credentials'
  | 'denied'
  | 'missing'
  | 'refused'
  | 'large'
  | 'unreachable'
  | 'stranger';

/** Why a request to a Frappe site failed. The message is a sentence for the operator, without credentials. */
export class RemoteError extends Error {
  readonly failure: RemoteFailure;

  constructor(failure: RemoteFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RemoteError';
    this.failure = failure;
  }
}

/** Whether an error is one of these failures of the site. */
export function isFailure(error: unknown, ...failures: readonly RemoteFailure[]): boolean {
  return error instanceof RemoteError && failures.includes(error.failure);
}

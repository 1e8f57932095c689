/** What a list or count asks for, without any value. Fields of the doctype itself only. */
export interface QueryShape {
  readonly doctype: string;
  readonly what: 'list' | 'count';
  /** Fields filtered to be one value, or one of some, by name. */
  readonly equal: readonly string[];
  /** Fields filtered to lie between values, by name. */
  readonly range: readonly string[];
  /** Fields filtered otherwise, such as by `like`: no index helps. */
  readonly other: readonly string[];
  /** `modified desc`; without the `name` that ends every order. */
  readonly order: readonly string[];
}

/** Everything the server may report about itself. Business code never logs: it observes. */
export type Observation =
  | {
      readonly kind: 'request';
      readonly id: string;
      readonly method: string;
      readonly url: string;
      readonly status: number;
      readonly user: string;
      readonly millis: number;
    }
  | {
      readonly kind: 'unexpected';
      readonly where: string;
      readonly error: unknown;
      readonly requestId?: string;
    }
  /** A reply failed after its head was sent: the client sees a connection that breaks off. */
  | { readonly kind: 'reply_broken'; readonly error: unknown; readonly requestId: string }
  | { readonly kind: 'transaction_retried'; readonly reason: string; readonly attempt: number }
  | ({ readonly kind: 'slow_query'; readonly millis: number } & QueryShape)
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'mail_sent' }
  | { readonly kind: 'schema_changed'; readonly doctype: string; readonly changes: number }
  | { readonly kind: 'patch_applied'; readonly patch: string; readonly millis: number }
  | {
      readonly kind: 'fixtures_applied';
      readonly file: string;
      readonly created: number;
      readonly updated: number;
    }
  | { readonly kind: 'file_stored'; readonly bytes: number }
  | {
      /** Objects of the file storage that went into quarantine, came back from it, or were deleted there. */
      readonly kind: 'files_collected';
      readonly quarantined: number;
      readonly restored: number;
      readonly deleted: number;
    }
  | {
      /** Most objects of the file storage are unknown to the database, so nothing was collected. */
      readonly kind: 'collection_stopped';
      readonly known: number;
      readonly unknown: number;
    }
  | {
      /** A copy of an entry of the audit log. */
      readonly kind: 'audit';
      readonly name: string;
      readonly event: string;
      readonly [fact: string]: string | number | null;
    }
  | { readonly kind: 'records_pruned'; readonly records: string; readonly deleted: number }
  | {
      readonly kind: 'delivery_attempted';
      readonly delivery: string;
      readonly webhook: string;
      readonly outcome: string;
      readonly millis: number;
    }
  | {
      readonly kind: 'delivery_given_up';
      readonly delivery: string;
      readonly webhook: string;
      readonly reason: string;
    }
  | { readonly kind: 'started'; readonly url: string; readonly millis: number }
  | { readonly kind: 'stopped' };

export type Observer = (observation: Observation) => void;

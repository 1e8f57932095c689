import type { SpaceUser } from './out-of-space.ts';

/** The shape of a list or count query, without values. It has only fields of the doctype itself. */
export interface QueryShape {
  readonly doctype: string;
  readonly what: 'list' | 'count';
  /** Names of the fields compared with one value or a list of values. */
  readonly equal: readonly string[];
  /** Names of the fields compared with a range. */
  readonly range: readonly string[];
  /** Names of the fields filtered in other ways, such as `like`, where no index helps. */
  readonly other: readonly string[];
  /** `modified desc`, for example; without the final `name` of every order. */
  readonly order: readonly string[];
}

/** A failed request: whose, and to which address. The query is left out, because it may hold secrets. */
export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  /** Empty where the caller is unknown. */
  readonly user: string;
}

/** A request that the server has answered. */
interface AnsweredRequest {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly user: string;
  readonly millis: number;
}

/** Everything that the server can report about itself. Business code never logs: it observes. */
export type Observation =
  | ({ readonly kind: 'request' } & AnsweredRequest)
  /** A request for an operation that took longer than `logSlowRequests`. */
  | ({
      readonly kind: 'request_slow';
      /** Milliseconds of each stage, in order. */
      readonly stages: Readonly<Record<string, number>>;
    } & AnsweredRequest)
  | {
      readonly kind: 'unexpected';
      readonly where: string;
      readonly error: unknown;
      readonly requestId?: string;
      readonly request?: RequestFacts;
    }
  /** The server refuses a request for a reason of its own, with a status of 500 or above. */
  | {
      readonly kind: 'request_refused';
      readonly requestId: string;
      readonly request: RequestFacts;
      readonly status: number;
      readonly message: string;
    }
  /** A reply failed after its head was sent: the client sees a broken connection. */
  | { readonly kind: 'reply_broken'; readonly error: unknown; readonly requestId: string }
  | { readonly kind: 'transaction_retried'; readonly reason: string; readonly attempt: number }
  | ({ readonly kind: 'slow_query'; readonly millis: number } & QueryShape)
  | {
      /** Workers of this place that ended soon after their start, in a row. */
      readonly kind: 'worker_ended';
      readonly worker: number;
      readonly code: number | null;
      readonly signal: string | null;
      readonly failures: number;
    }
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'mail_sent' }
  | { readonly kind: 'schema_changed'; readonly doctype: string; readonly changes: number }
  | {
      /** A part of a migration begins that goes through the rows of a large table. */
      readonly kind: 'migrating';
      readonly table: string;
      readonly rows: number;
      readonly step: number;
      readonly steps: number;
      /** An estimate, this part included. */
      readonly secondsLeft: number;
    }
  /** The code of an app changes data. Nothing is known of how long it takes. */
  | { readonly kind: 'patching'; readonly patch: string; readonly step: number; readonly steps: number }
  | { readonly kind: 'patch_applied'; readonly patch: string; readonly millis: number }
  | {
      readonly kind: 'fixtures_applied';
      readonly file: string;
      readonly created: number;
      readonly updated: number;
    }
  | { readonly kind: 'file_stored'; readonly bytes: number }
  | {
      /** Objects of the file storage that were quarantined, restored, or deleted from quarantine. */
      readonly kind: 'files_collected';
      readonly quarantined: number;
      readonly restored: number;
      readonly deleted: number;
    }
  | {
      /** Most objects of the file storage are unknown to the database, so the collection stopped. */
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
  /** A change or a file was refused because a disk is full. Reported once until there is room again. */
  | { readonly kind: 'disk_full'; readonly of: SpaceUser; readonly message: string }
  | { readonly kind: 'disk_has_room'; readonly of: SpaceUser }
  | { readonly kind: 'started'; readonly url: string; readonly millis: number }
  | { readonly kind: 'stopped' };

export type Observer = (observation: Observation) => void;

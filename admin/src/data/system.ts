import { queryOptions } from '@tanstack/react-query';
import { callMethod, readMethod } from './api.ts';
import { keys } from './keys.ts';

/** A disk of the server. Sizes are bytes. */
export interface Disk {
  readonly holds: readonly ('data' | 'database' | 'files')[];
  readonly path: string;
  readonly free: number;
  readonly total: number;
  readonly state: 'ok' | 'advice' | 'problem';
}

/** A server that shares the database. */
export interface ServerNode {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly workers: number;
  readonly started: string;
  readonly seen: string;
  readonly is_alive: 0 | 1;
  readonly is_this: 0 | 1;
}

/** A process of this server. */
export interface ServerProcess {
  readonly worker: number | null;
  readonly role: 'writer' | 'reader' | null;
  readonly pid: number;
  readonly uptime: number;
  readonly memory: number;
  readonly heap: number;
  readonly busy: number;
  readonly delay_p99: number;
  readonly delay_max: number;
}

/** The result of a backup or a rehearsal. */
export type RunStatus = 'Succeeded' | 'Failed' | 'Skipped';

export interface Health {
  readonly version: string;
  readonly node_version: string;
  readonly problems: readonly string[];
  readonly database: {
    readonly kind: 'sqlite' | 'postgres';
    readonly version: string;
    readonly bytes: number;
    readonly log_bytes: number | null;
    readonly connections: number | null;
    readonly most_connections: number | null;
    readonly ping_ms: number;
  };
  readonly disks: readonly Disk[];
  readonly files: {
    readonly place: 'disk' | 's3';
    readonly objects: number;
    readonly bytes: number;
    readonly quarantined_objects: number;
    readonly quarantined_bytes: number;
  };
  readonly backup: {
    readonly is_configured: 0 | 1;
    /** The state that the last good backup holds. */
    readonly moment: string | null;
    readonly status: RunStatus | null;
    /** The result of the last rehearsal of a restore, and its time. */
    readonly rehearsal: RunStatus | null;
    readonly rehearsed: string | null;
  };
  readonly queue: Readonly<
    Record<
      'waiting' | 'sending' | 'held' | 'parked' | 'due' | 'retrying' | 'oldest_seconds' | 'is_stuck',
      number
    >
  >;
  readonly nodes: readonly ServerNode[];
  readonly workers: readonly ServerProcess[];
  /** Jobs whose last run failed. */
  readonly failing_jobs: readonly string[];
  /** Of the last hour. */
  readonly recent_errors: number;
}

/** A periodic job of one process. Times are timestamps, durations milliseconds. */
export interface Job {
  readonly worker: number | null;
  readonly job: string;
  readonly every: number;
  readonly runs: number;
  readonly failures: number;
  readonly took: number | null;
  readonly done: number | null;
  readonly error: string | null;
  readonly is_running: 0 | 1;
  readonly last: string | null;
  readonly next: string | null;
}

/** An error of this server. */
export interface ServerError {
  readonly time: string;
  readonly kind: 'request' | 'refusal' | 'reply' | 'delivery' | 'task';
  readonly times: number;
  readonly worker: number | null;
  readonly where?: string;
  readonly request_id?: string;
  readonly status?: number;
  readonly method?: string;
  readonly path?: string;
  readonly user?: string;
  readonly message: string;
  readonly stack?: string;
}

/** A setting with the value in force. */
export interface Setting {
  readonly name: string;
  readonly section: string;
  readonly help: string | null;
  readonly value: unknown;
  readonly default: unknown;
  readonly unit: 'bytes' | 'milliseconds' | 'seconds' | null;
  readonly source: 'default' | 'file' | 'environment' | 'flag' | 'stored';
  readonly variable: string | null;
  readonly flag: string | null;
  /** The field of System Settings that changes it; null: it needs a restart. */
  readonly field: {
    readonly fieldname: string;
    readonly label: string;
    readonly fieldtype: string;
    readonly options: string;
    readonly description: string;
  } | null;
}

/** The shape of slow queries, without values. */
export interface SlowQuery {
  readonly doctype: string;
  readonly what: 'list' | 'count';
  readonly equal: readonly string[];
  readonly range: readonly string[];
  readonly other: readonly string[];
  readonly order: readonly string[];
  readonly count: number;
  readonly total_ms: number;
  readonly average_ms: number;
  readonly max_ms: number;
  readonly last: string | null;
  /** Fields of an index that would help; null if it exists or none would. */
  readonly index: readonly string[] | null;
}

/** An index that is not ready. */
export interface IndexBuild {
  readonly doctype: string;
  readonly fields: readonly string[];
  readonly state: 'waiting' | 'building' | 'interrupted';
  /** In the words of PostgreSQL. */
  readonly phase: string | null;
  /** Of this phase. */
  readonly percent: number | null;
  /** Transactions that the phase waits for. */
  readonly waits_for: number | null;
}

export interface IndexPlan {
  readonly doctype: string;
  readonly fields: readonly string[];
  readonly rows: number;
  readonly has_more: 0 | 1;
  readonly seconds: number;
  /** 1: others change documents meanwhile. */
  readonly in_background: 0 | 1;
  readonly stored_as: 'DocType' | 'Property Setter';
}

/** Screens of the state refresh while they are visible; milliseconds. */
const EVERY = 5_000;

/** The query of a method about the server, which refreshes while the tab of the browser is visible. */
export function systemQuery<T>(name: string, args: Readonly<Record<string, string>> = {}, isLive = true) {
  const method = `chancery.system.${name}`;
  return queryOptions({
    queryKey: keys.method(method, args),
    queryFn: ({ signal }) => readMethod<T>(method, args, { signal }),
    refetchInterval: isLive ? EVERY : false,
    staleTime: 0,
  });
}

export function runJob(job: string): Promise<unknown> {
  return callMethod('chancery.system.run_job', { job });
}

export function createIndex(doctype: string, fields: readonly string[]): Promise<IndexPlan> {
  return callMethod('chancery.system.create_index', { doctype, fields });
}

import type { SuggestedIndex } from './suggest-indexes.ts';

/** A check, and its result. */
export interface Finding {
  readonly check:
    | 'integrity'
    | 'tables'
    | 'durability'
    | 'replicas'
    | 'archive'
    | 'backups'
    | 'write-ahead log'
    | 'secret key'
    | 'disk space'
    | 'files'
    | 'contents'
    | 'doctypes'
    | 'indexes'
    | 'webhooks'
    | 'slow queries'
    | 'engine'
    | 'versions'
    | 'servers'
    | 'backup'
    | 'changes'
    | 'duration'
    | 'settings';
  /** `advice`: it works, but could work better. `problem`: something has failed, or will. */
  readonly state: 'ok' | 'advice' | 'problem';
  readonly message: string;
  /** The remedy, in words or as a command. */
  readonly remedy?: string;
  /** The suggested index. */
  readonly index?: SuggestedIndex;
}

import type { Config } from '../../config/config.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Jobs } from '../../kernel/jobs.ts';
import type { Observer } from '../../kernel/observation.ts';
import type { Random } from '../../kernel/random.ts';
import type { Telemetry } from '../../observe/telemetry.ts';
import type { Fence } from '../fence.ts';
import type { Siblings } from '../siblings.ts';
import type { WorkerPlan, WorkerRole } from '../workers.ts';
import type { Undos } from './undos.ts';

/** The input of every stage of a start. */
export interface Start {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  /** Null where no collector is configured. */
  readonly telemetry: Telemetry | null;
  readonly observe: Observer;
  readonly jobs: Jobs;
  readonly fence: Fence;
  /** True beside a running server: nothing is locked, migrated or started. */
  readonly isTool: boolean;
  /** The part of this worker, where one worker writes for all. */
  readonly role: WorkerRole;
  /** Transactions may take as long as a migration. */
  readonly isPatient: boolean;
  readonly siblings: Siblings;
  /** The workers that share the connections to PostgreSQL; null: this process is alone. */
  readonly plan: WorkerPlan | null;
  /** Each stage registers how to close what it opened. */
  readonly undos: Undos;
}

import type { Operation } from '../operation.ts';
import { errorsOperation } from './errors.ts';
import { healthOperation } from './health.ts';
import { jobOperations } from './jobs.ts';
import { settingsOperation } from './settings.ts';
import { slowQueryOperations } from './slow-queries.ts';

/** For administrators: the state of the server. */
export const systemOperations: readonly Operation[] = [
  healthOperation,
  ...jobOperations,
  errorsOperation,
  settingsOperation,
  ...slowQueryOperations,
];

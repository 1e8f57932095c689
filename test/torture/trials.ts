import type { Trial } from './trial.ts';
import { clock } from './trials/clock.ts';
import { endpoints } from './trials/endpoints.ts';
import { fenced, frozen } from './trials/frozen.ts';
import { hanging } from './trials/hanging.ts';
import { hostile } from './trials/hostile.ts';
import { hotDocument } from './trials/hot-document.ts';
import { kill } from './trials/kill.ts';
import { states } from './trials/states.ts';

/** All trials, in the order in which they are run. */
export const TRIALS: readonly Trial[] = [
  kill,
  states,
  hostile,
  clock,
  frozen,
  fenced,
  endpoints,
  hotDocument,
  hanging,
];

import { LIMITS } from '../limits.ts';
import { refuseExpression } from './tokens.ts';

/** How much evaluating has done, and may do: a bound on time, whatever the document holds. */
export interface Work {
  steps: number;
  readonly mostSteps: number;
  /** Characters of a text that is searched, joined or changed. */
  readonly mostText: number;
}

/** For one evaluation of one expression. */
export function expressionWork(): Work {
  return { steps: 0, mostSteps: LIMITS.expressionSteps, mostText: LIMITS.expressionText };
}

/** @throws ServiceError ValidationError when all is spent */
export function spend(work: Work, steps: number): void {
  work.steps += steps;
  if (work.steps > work.mostSteps) refuseExpression('takes too much work for this document');
}

/**
 * The text, paid for by its length.
 * @throws ServiceError ValidationError when it is too long
 */
export function bounded(text: string, work: Work): string {
  if (text.length > work.mostText) {
    refuseExpression(`works on a text of more than ${work.mostText} characters`);
  }
  spend(work, text.length / CHARACTERS_PER_STEP);
  return text;
}

/** So many characters of a text take about the time of a step. */
const CHARACTERS_PER_STEP = 200;

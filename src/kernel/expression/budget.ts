import { LIMITS } from '../limits.ts';
import { refuseExpression } from './tokens.ts';

/** The steps that an evaluation has used, and its limit. It bounds the time for every document. */
export interface ExpressionBudget {
  steps: number;
  readonly mostSteps: number;
  /** The longest text that may be searched, joined or changed, in characters. */
  readonly mostText: number;
}

/** The budget of one evaluation of an expression. */
export function expressionBudget(): ExpressionBudget {
  return { steps: 0, mostSteps: LIMITS.expressionSteps, mostText: LIMITS.expressionText };
}

/** @throws ServiceError ValidationError when the steps are used up */
export function spend(budget: ExpressionBudget, steps: number): void {
  budget.steps += steps;
  if (budget.steps > budget.mostSteps) refuseExpression('takes too much work for this document');
}

/**
 * Returns the text after spending steps for its length.
 * @throws ServiceError ValidationError when it is too long
 */
export function bounded(text: string, budget: ExpressionBudget): string {
  if (text.length > budget.mostText) {
    refuseExpression(`works on a text of more than ${budget.mostText} characters`);
  }
  spend(budget, text.length / CHARACTERS_PER_STEP);
  return text;
}

/** Characters of a text that take about the time of one step. */
const CHARACTERS_PER_STEP = 200;

import { queryOptions } from '@tanstack/react-query';
import { readMethod } from '../../data/api.ts';
import type { RightName } from '../../data/boot.ts';
import { keys } from '../../data/keys.ts';

export interface Question {
  readonly user: string;
  readonly doctype: string;
  readonly name: string;
  readonly right: RightName;
}

export type Outcome = 'allows' | 'refuses' | 'limits';

/** A rule that took part in the decision, as the server describes it. */
export interface Step {
  readonly rule:
    | 'administrator'
    | 'child_table'
    | 'role'
    | 'no_role'
    | 'share'
    | 'missing'
    | 'user_permission'
    | 'owner'
    | 'controller'
    | 'docstatus'
    | 'level';
  readonly outcome: Outcome;
  readonly doctype?: string;
  readonly name?: string;
  readonly role?: string;
  readonly roles?: readonly string[];
  readonly if_owner?: 0 | 1;
  readonly custom?: 0 | 1;
  readonly allow?: string;
  readonly field?: string;
  readonly values?: readonly string[];
  readonly or_empty?: 0 | 1;
  readonly value?: string;
  readonly owner?: string;
  readonly docstatus?: number;
  readonly fields?: readonly string[];
}

export interface Explanation {
  readonly allowed: boolean;
  readonly reason: string;
  readonly steps: readonly Step[];
}

const METHOD = 'chancery.explain_permission';

/** Why a user may or may not do something; asked once user and doctype are known. */
export function explainQuery({ user, doctype, name, right }: Question) {
  const args = { user, doctype, right, steps: 1, ...(name === '' ? {} : { name }) };
  return queryOptions({
    queryKey: keys.method(METHOD, args),
    enabled: user !== '' && doctype !== '',
    queryFn: ({ signal }) => readMethod<Explanation>(METHOD, args, { signal }),
    staleTime: 0,
    retry: false,
  });
}

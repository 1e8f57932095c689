import { useState } from 'react';
import type { ApiCall } from '../../base/api-call.ts';
import { useTask } from '../../base/use-task.ts';
import { callOf, missingIn } from './call-values.ts';
import type { ApiOperation } from './operations.ts';
import { type Tried, tryCall } from './try-call.ts';

/** The form of an operation, the request that it makes, and the reply. */
export interface CallForm {
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: string;
  readonly call: ApiCall;
  readonly missing: readonly string[];
  readonly reply: Tried | null;
  readonly isBusy: boolean;
  readonly error: unknown;
  setParameter(name: string, value: string): void;
  setBody(text: string): void;
  send(key: string | null): void;
}

export function useCall(
  operation: ApiOperation,
  first: { readonly parameters: Readonly<Record<string, string>>; readonly body: string },
): CallForm {
  const [parameters, setParameters] = useState(first.parameters);
  const [body, setBody] = useState(first.body);
  const [reply, setReply] = useState<Tried | null>(null);
  const task = useTask();
  const values = { parameters, body };
  const call = callOf(operation, values);
  return {
    parameters,
    body,
    call,
    missing: missingIn(operation, values),
    reply,
    isBusy: task.isBusy,
    error: task.error,
    setParameter: (name, value) => setParameters((before) => ({ ...before, [name]: value })),
    setBody,
    send: (key) => void task.run(async () => setReply(await tryCall(call, key))),
  };
}

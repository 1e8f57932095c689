import { defineOperation, type Operation } from './operation.ts';

/** Checks that the server answers. */
export const pingOperations: readonly Operation[] = ['ping', 'frappe.ping'].map((name) =>
  defineOperation({
    name,
    summary: 'Answer pong',
    effect: 'read',
    access: 'guest',
    http: ['GET', 'POST', 'PUT', 'DELETE'],
    result: { const: 'pong' },
    run: () => 'pong',
  }),
);

import type { BuiltIn, BuiltIns } from './built-in.ts';

const ping: BuiltIn = {
  http: ['GET', 'POST', 'PUT', 'DELETE'],
  allowGuest: true,
  context: 'read',
  run: () => Promise.resolve('pong'),
};

export const pingMethods: BuiltIns = { ping, 'frappe.ping': ping };

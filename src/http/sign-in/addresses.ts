import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { defineAddress } from '../address/address.ts';
import { errors, formBody, PAGE, queryParameter } from '../address/operation.ts';

const text: JsonSchema = { type: 'string' };
const BACK = queryParameter('redirect-to');
const PROVIDER = { provider: 'Name of a Social Login Key' };

/** The sign-in page without scripts. */
export const LOGIN = defineAddress('/login', 'guest', 'read', {
  tag: 'OAuth',
  confidential: true,
  verbs: {
    GET: {
      id: 'loginPage',
      summary: 'Show the sign-in page, which works without scripts',
      parameters: [BACK],
      replies: { ...PAGE, ...errors() },
    },
    POST: {
      id: 'loginByPage',
      summary: 'Submit the form of the sign-in page',
      body: formBody({ usr: text, pwd: text, otp: text, tmp_id: text, 'redirect-to': text }),
      replies: { ...PAGE, ...errors(400) },
    },
  },
});

/** The page behind the link in a password mail. */
export const UPDATE_PASSWORD = defineAddress('/update-password', 'guest', 'read', {
  tag: 'Methods',
  confidential: true,
  verbs: {
    GET: {
      id: 'newPasswordPage',
      summary: 'Show the page that sets a new password, to which a mail links',
      parameters: [queryParameter('key')],
      replies: { ...PAGE, ...errors() },
    },
    POST: {
      id: 'newPasswordByPage',
      summary: 'Submit the form of the password page',
      body: formBody({ key: text, new_password: text }),
      replies: { ...PAGE, ...errors(401, 417) },
    },
  },
});

/** Sends a browser to an OpenID Connect server. */
export const SIGN_IN_START = defineAddress('/api/auth/:provider/start', 'guest', 'login', {
  tag: 'OAuth',
  variables: PROVIDER,
  verbs: {
    GET: {
      id: 'signInStart',
      summary: 'Sign in at a provider of OpenID Connect',
      parameters: [BACK],
      replies: { '303': { description: 'Redirect to the provider' }, ...errors(404, 503) },
    },
  },
});

/** The browser's way back. */
export const SIGN_IN_CALLBACK = defineAddress('/api/auth/:provider/callback', 'guest', 'login', {
  tag: 'OAuth',
  variables: PROVIDER,
  verbs: {
    GET: {
      id: 'signInCallback',
      summary: "Receive the provider's answer",
      replies: { '303': { description: 'Signed in, with cookies' }, ...errors(401, 403, 404, 503) },
    },
  },
});

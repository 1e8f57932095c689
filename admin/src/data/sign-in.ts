import { callMethod, callMethodWhole } from './api.ts';

/** Setup data for an authenticator app. */
export interface AppSecret {
  readonly secret: string;
  /** The same data as an address that authenticator apps open. */
  readonly otpauth: string;
}

/** Result of a password sign-in: signed in, or a second factor is required. */
export type SignInAnswer =
  | { readonly kind: 'done'; readonly recoveryCodes: readonly string[] }
  | {
      readonly kind: 'code';
      readonly tmpId: string;
      readonly prompt: string;
      /** Set if the user must set up the second factor now. */
      readonly setUp: AppSecret | null;
    };

/** Signs in with a password. */
export async function signIn(usr: string, pwd: string): Promise<SignInAnswer> {
  return answerOf(await callMethodWhole<WireAnswer>('login', { usr, pwd }, { isSignIn: true }));
}

/** Second step of a sign-in: sends the code. */
export async function confirmCode(tmpId: string, otp: string): Promise<SignInAnswer> {
  return answerOf(await callMethodWhole<WireAnswer>('login', { tmp_id: tmpId, otp }, { isSignIn: true }));
}

/** Exchanges an API key for a session. The secret is not stored. */
export async function signInWithKey(key: string, secret: string): Promise<void> {
  await callMethod('chancery.auth.login_with_key', { api_key: key, api_secret: secret }, { isSignIn: true });
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  await callMethod('logout', {}, { isSignIn: true });
}

interface WireAnswer {
  readonly verification?: {
    readonly prompt?: string;
    readonly setup?: boolean;
    readonly secret?: string;
    readonly otpauth?: string;
  };
  readonly tmp_id?: string;
  readonly recovery_codes?: readonly string[];
}

function answerOf({ verification, tmp_id: tmpId, recovery_codes: codes }: WireAnswer): SignInAnswer {
  if (!verification || !tmpId) return { kind: 'done', recoveryCodes: codes ?? [] };
  const { prompt = '', setup, secret = '', otpauth = '' } = verification;
  return { kind: 'code', tmpId, prompt, setUp: setup === false ? { secret, otpauth } : null };
}

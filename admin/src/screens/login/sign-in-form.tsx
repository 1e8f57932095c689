import type { SignInWays } from '../../data/boot.ts';

export function SignInForm(_: {
  readonly ways: SignInWays | null;
  readonly user?: string;
  readonly onDone: () => void | Promise<void>;
}) {
  return null;
}

import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import type { SignInWays } from '../../data/boot.ts';
import type { SignInAnswer } from '../../data/sign-in.ts';
import { Stack } from '../../widgets/layout.tsx';
import { Tabs } from '../../widgets/tabs.tsx';
import { CodeForm } from './code-form.tsx';
import { KeyForm } from './key-form.tsx';
import { PasswordForm } from './password-form.tsx';
import { Providers } from './providers.tsx';
import { RecoveryCodes } from './second-factor.tsx';

export interface SignInFormProps {
  readonly ways: SignInWays | null;
  /** The user of an ended session, if known. */
  readonly user?: string;
  /** Called after a successful sign-in. */
  readonly onDone: () => void | Promise<void>;
}

type Step =
  | { readonly kind: 'begin' }
  | Extract<SignInAnswer, { kind: 'code' }>
  | { readonly kind: 'codes'; readonly recoveryCodes: readonly string[] };

/** All sign-in methods: password with second factor, API key, identity provider. */
export function SignInForm({ ways, user, onDone }: SignInFormProps) {
  const [tab, setTab] = useState('password');
  const [step, setStep] = useState<Step>({ kind: 'begin' });
  const go = (answer: SignInAnswer) => {
    if (answer.kind === 'code') return setStep(answer);
    if (answer.recoveryCodes.length > 0)
      return setStep({ kind: 'codes', recoveryCodes: answer.recoveryCodes });
    return onDone();
  };
  if (step.kind === 'codes') return <RecoveryCodes codes={step.recoveryCodes} onDone={onDone} />;
  if (step.kind === 'code')
    return <CodeForm asked={step} onAnswer={go} onBack={() => setStep({ kind: 'begin' })} />;
  return (
    <Stack>
      <Tabs
        label={t('Sign-in methods')}
        value={tab}
        onChange={setTab}
        tabs={[
          {
            id: 'password',
            label: t('Password'),
            content: <PasswordForm ways={ways} user={user} onAnswer={go} />,
          },
          { id: 'key', label: t('API key'), content: <KeyForm onDone={onDone} /> },
        ]}
      />
      <Providers ways={ways} />
    </Stack>
  );
}

import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { Button } from '../../widgets/button.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { Card, Hidden, Muted, Row, Stack } from '../../widgets/layout.tsx';
import css from './first-steps.module.css';
import { NewKey } from './new-key.tsx';
import { DoctypeStep, KeyStep, WebhookStep } from './step-actions.tsx';
import { closeFirstSteps, STEPS, type StepName, useFirstSteps } from './use-first-steps.ts';

/** What to do first on a new site. Goes away with the last step. */
export function FirstSteps() {
  const done = useFirstSteps();
  const [isKeyOpen, setKeyOpen] = useState(false);
  return (
    <>
      {done && <Steps done={done} onKey={() => setKeyOpen(true)} />}
      {/* Stays when the new key completes its step: its secret is shown only once. */}
      <NewKey isOpen={isKeyOpen} onClose={() => setKeyOpen(false)} />
    </>
  );
}

interface StepsProps {
  readonly done: ReadonlySet<StepName>;
  readonly onKey: () => void;
}

function Steps({ done, onKey }: StepsProps) {
  const next = STEPS.find((name) => !done.has(name));
  return (
    <Card label={t('First steps')}>
      <Stack gap={3}>
        <Row isApart>
          <Stack gap={1}>
            <h2>{t('First steps')}</h2>
            <Muted isSmall>{t('{done} of {all} done', { done: done.size, all: STEPS.length })}</Muted>
          </Stack>
          <Button kind="quiet" icon="close" onClick={closeFirstSteps}>
            {t('Dismiss')}
          </Button>
        </Row>
        <ol className={css['steps']}>
          {STEPS.map((name, at) => (
            <Step
              key={name}
              name={name}
              number={at + 1}
              isDone={done.has(name)}
              isNext={name === next}
              onKey={onKey}
            />
          ))}
        </ol>
        <Muted isSmall>
          <PathLink to={paths.api()}>{t('API reference')}</PathLink>
          {' · '}
          {t('Every doctype has REST addresses as soon as you save it.')}
        </Muted>
      </Stack>
    </Card>
  );
}

function Step({
  name,
  number,
  isDone,
  isNext,
  onKey,
}: {
  readonly name: StepName;
  readonly number: number;
  readonly isDone: boolean;
  readonly isNext: boolean;
  readonly onKey: () => void;
}) {
  const { title, text } = wordsOf(name);
  return (
    <li className={css['step']} data-done={isDone || undefined} aria-current={isNext ? 'step' : undefined}>
      <span className={css['mark']}>
        {isDone ? <Icon name="check" size={14} /> : number}
        {isDone && <Hidden>{t('Done')}</Hidden>}
      </span>
      <div className={css['words']}>
        <strong>{title}</strong>
        {!isDone && <Muted isSmall>{text}</Muted>}
      </div>
      {!isDone && name === 'doctype' && <DoctypeStep isNext={isNext} />}
      {!isDone && name === 'key' && <KeyStep isNext={isNext} onOpen={onKey} />}
      {!isDone && name === 'webhook' && <WebhookStep isNext={isNext} />}
    </li>
  );
}

function wordsOf(name: StepName): { readonly title: string; readonly text: string } {
  switch (name) {
    case 'signIn':
      return { title: t('Sign in'), text: '' };
    case 'doctype':
      return {
        title: t('Create a doctype'),
        text: t('Choose its fields. Its form, its list and its API exist as soon as you save it.'),
      };
    case 'key':
      return {
        title: t('Create an API key'),
        text: t('Programs sign in with a key. You get a curl command that works.'),
      };
    case 'webhook':
      return {
        title: t('Add a webhook'),
        text: t('Sends a signed request to another system when a record changes.'),
      };
  }
}

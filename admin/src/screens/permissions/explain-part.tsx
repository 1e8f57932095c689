import { useQuery } from '@tanstack/react-query';
import { t } from '../../base/i18n.ts';
import { PathLink, useSearch } from '../../base/navigation.tsx';
import { useUser } from '../../data/boot.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Icon, type IconName } from '../../widgets/icon.tsx';
import { Card, Muted, Stack } from '../../widgets/layout.tsx';
import { type Explanation, explainQuery, type Outcome, type Question } from './explain-data.ts';
import { answerOf, ruleOf, stepText } from './explain-words.ts';
import css from './permissions.module.css';
import { readPermissionsSearch } from './permissions-search.ts';
import { QuestionForm } from './question-form.tsx';

/** Why a user can or can't do something, rule by rule. */
export function ExplainPart() {
  const me = useUser();
  const search = useSearch(readPermissionsSearch);
  // Only System Managers may ask about others.
  const question = { ...search, user: me.isSystemManager ? search.user : me.name };
  const { data, error, isFetching } = useQuery(explainQuery(question));
  const isAsked = question.user !== '' && question.doctype !== '';
  return (
    <Stack>
      <QuestionForm question={question} isFixed={!me.isSystemManager} />
      {!isAsked && (
        <EmptyState icon="search" title={t('Why can or can’t a user do something?')}>
          {t('Choose a user and a doctype. Add a record to ask about that record alone.')}
        </EmptyState>
      )}
      {isAsked && !data && !error && <Skeleton height={160} />}
      {error && <ErrorPanel error={error} />}
      {isAsked && data && !error && (
        <div aria-busy={isFetching}>
          <Answer question={question} found={data} />
        </div>
      )}
    </Stack>
  );
}

const SIGNS: Readonly<Record<Outcome, IconName>> = { allows: 'check', refuses: 'close', limits: 'filter' };

function Sign({ outcome }: { readonly outcome: Outcome }) {
  const words = { allows: t('Allows'), refuses: t('Refuses'), limits: t('Limits') };
  return (
    <span className={css['sign']} data-outcome={outcome}>
      <Icon name={SIGNS[outcome]} />
      <span className="visually-hidden">{words[outcome]}</span>
    </span>
  );
}

function Answer({ question, found }: { readonly question: Question; readonly found: Explanation }) {
  const { outcome, text } = answerOf(found, question);
  return (
    <Card label={t('Answer')}>
      <Stack>
        <div className={css['verdict']} role="status">
          <Sign outcome={outcome} />
          <div className={css['step']}>
            <h2>{text}</h2>
            {found.steps.length === 0 && (
              <Muted>{t('No rule allows it, or the record does not exist.')}</Muted>
            )}
          </div>
        </div>
        <ol className={css['steps']} aria-label={t('Rules that decided')}>
          {found.steps.map((step) => (
            <li key={JSON.stringify(step)}>
              <Sign outcome={step.outcome} />
              <span className={css['step']}>
                <span>{stepText(step, question)}</span>
                <RuleLink rule={ruleOf(step, question)} />
              </span>
            </li>
          ))}
        </ol>
      </Stack>
    </Card>
  );
}

function RuleLink({ rule }: { readonly rule: ReturnType<typeof ruleOf> }) {
  const me = useUser();
  if (!rule || !me.isSystemManager) return null;
  return (
    <span>
      <PathLink to={rule.path}>{rule.label}</PathLink>
    </span>
  );
}

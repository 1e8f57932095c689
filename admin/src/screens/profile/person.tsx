import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { useUser } from '../../data/boot.ts';
import { readDocument, updateDocument } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { enter } from '../../data/person.ts';
import { queryClient } from '../../data/query-client.ts';
import { Button } from '../../widgets/button.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Card, Muted, Row, Stack } from '../../widgets/layout.tsx';
import css from './profile.module.css';

interface Names {
  readonly first_name: string;
  readonly last_name: string;
  readonly phone: string;
}

/** Names of the user. */
export function Person() {
  const user = useUser();
  const { data, error, refetch } = useQuery({
    queryKey: keys.doc('User', user.name),
    queryFn: ({ signal }) => readDocument('User', user.name, { signal }),
  });
  const [names, setNames] = useState<Names | null>(null);
  const task = useTask();
  useEffect(() => {
    if (!data) return;
    const text = (field: string) => String(data.doc[field] ?? '');
    setNames(
      (now) => now ?? { first_name: text('first_name'), last_name: text('last_name'), phone: text('phone') },
    );
  }, [data]);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!names) return;
    void task.run(async () => {
      const saved = await updateDocument('User', user.name, { ...names });
      queryClient.setQueryData(keys.doc('User', user.name), saved);
      await enter();
      toast('success', t('Saved'));
    });
  };
  const set = (field: keyof Names) => (value: string) => setNames((now) => now && { ...now, [field]: value });
  return (
    <Card label={t('Your name')}>
      <form onSubmit={save}>
        <Stack>
          <Row isApart>
            <h2>{t('Your name')}</h2>
            <Muted isSmall>{user.name}</Muted>
          </Row>
          {error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
          {task.error !== null && <ErrorPanel error={task.error} refused={t('Couldn’t save')} />}
          {!names && !error && <Skeleton height={56} />}
          {names && (
            <>
              <div className={css['fields']}>
                <TextInput
                  label={t('First name')}
                  autoComplete="given-name"
                  value={names.first_name}
                  onChange={set('first_name')}
                />
                <TextInput
                  label={t('Last name')}
                  autoComplete="family-name"
                  value={names.last_name}
                  onChange={set('last_name')}
                />
                <TextInput
                  label={t('Phone')}
                  type="tel"
                  autoComplete="tel"
                  value={names.phone}
                  onChange={set('phone')}
                />
              </div>
              <Row>
                <Button type="submit" kind="primary" isBusy={task.isBusy}>
                  {t('Save')}
                </Button>
              </Row>
            </>
          )}
        </Stack>
      </form>
    </Card>
  );
}

import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useTask } from '../../base/use-task.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { NumberInput } from '../../widgets/number-input.tsx';
import { MultiSelect } from '../../widgets/token-inputs.tsx';
import { rolesQuery } from '../users/user-data.ts';
import type { DashboardFields } from './dashboard-data.ts';

/** Name, roles and position of a new or existing dashboard. */
export function DashboardDialog({
  title,
  action,
  of,
  onClose,
  run,
}: {
  readonly title: string;
  readonly action: string;
  readonly of: DashboardFields;
  readonly onClose: () => void;
  readonly run: (fields: DashboardFields) => Promise<void>;
}) {
  const [fields, setFields] = useState(of);
  const { data: roles = [] } = useQuery(rolesQuery);
  const task = useTask();
  const set = (change: Partial<DashboardFields>) => setFields((before) => ({ ...before, ...change }));
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (fields.label.trim() === '') return;
    void task.run(async () => {
      await run({ ...fields, label: fields.label.trim() });
      onClose();
    });
  };
  return (
    <Modal isOpen onClose={onClose} title={title} isSticky>
      <form onSubmit={save} noValidate>
        <Stack>
          <TextInput
            label={t('Name')}
            isRequired
            value={fields.label}
            onChange={(label) => set({ label })}
            maxLength={140}
            autoComplete="off"
            data-autofocus
          />
          <MultiSelect
            label={t('Roles')}
            description={t('Home shows it to users with one of these roles. Leave empty for everybody')}
            choices={[...new Set([...roles, ...fields.roles])].toSorted()}
            value={fields.roles}
            onChange={(next) => set({ roles: next })}
          />
          <NumberInput
            label={t('Position')}
            description={t('Home begins with the dashboard of the lowest position')}
            places={0}
            value={fields.position}
            onChange={(position) => set({ position: position ?? 0 })}
          />
          {task.error !== null && <ErrorPanel error={task.error} refused={t('Couldn’t save')} />}
          <Row isApart>
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button kind="primary" type="submit" isBusy={task.isBusy} disabled={fields.label.trim() === ''}>
              {action}
            </Button>
          </Row>
        </Stack>
      </form>
    </Modal>
  );
}

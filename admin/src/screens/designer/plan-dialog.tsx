import { useState } from 'react';
import { t, tn } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { Checkbox } from '../../widgets/checks.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import type { Loss, Plan } from './design-data.ts';
import css from './designer.module.css';
import { useDesign } from './designer-context.ts';
import { textOf } from './draft.ts';
import { PlanChanges } from './plan-changes.tsx';
import { PlanEffects } from './plan-effects.tsx';
import type { Saving } from './use-saving.ts';

/** What a save will do, before it does it. Values are lost only with the typed name of the doctype. */
export function PlanDialog({ saving, plan }: { readonly saving: Saving; readonly plan: Plan }) {
  const { design } = useDesign();
  const name = design?.name ?? '';
  const losses = plan.tables.filter((table) => table.doctype === name).flatMap((table) => table.losses);
  const felt = losses.filter(({ values, required }) => values > 0 || required);
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  const [typed, setTyped] = useState('');
  const lose = felt.filter((one) => one.required || deleted.has(one.fieldname));
  const counts = lose.reduce((sum, { values }) => sum + values, 0);
  const isBlocked = counts > 0 && typed.trim() !== name;
  const toggle = (fieldname: string, isDeleted: boolean) => {
    const next = new Set(deleted);
    if (isDeleted) next.add(fieldname);
    else next.delete(fieldname);
    setDeleted(next);
  };
  return (
    <Modal
      isOpen
      isSticky
      width={640}
      onClose={saving.dismiss}
      title={t('Save {doctype}?', { doctype: t(name) })}
    >
      <Stack>
        <PlanChanges />
        {felt.length > 0 && <Losses losses={felt} deleted={deleted} onToggle={toggle} />}
        <PlanEffects plan={plan} />
        {counts > 0 && (
          <TextInput
            label={tn(counts, 'Type {name} to delete {count} value', 'Type {name} to delete {count} values', {
              name,
            })}
            value={typed}
            onChange={setTyped}
            autoComplete="off"
          />
        )}
        {saving.task.error !== null && <ErrorPanel error={saving.task.error} refused={t('Couldn’t save')} />}
        <Row isApart>
          <Button onClick={saving.dismiss}>{t('Keep editing')}</Button>
          <Button
            kind={counts > 0 ? 'danger' : 'primary'}
            isBusy={saving.task.isBusy}
            disabled={isBlocked}
            onClick={() => void saving.apply(lose.map(({ fieldname }) => fieldname))}
            data-autofocus
          >
            {counts > 0 ? t('Delete values and save') : t('Save')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

interface LossesProps {
  readonly losses: readonly Loss[];
  readonly deleted: ReadonlySet<string>;
  readonly onToggle: (fieldname: string, isDeleted: boolean) => void;
}

function Losses({ losses, deleted, onToggle }: LossesProps) {
  return (
    <Alert tone="danger" title={t('What is lost')}>
      <Stack gap={3}>
        {losses.map((loss) => (
          <LossLine
            key={loss.fieldname}
            loss={loss}
            isDeleted={deleted.has(loss.fieldname)}
            onToggle={onToggle}
          />
        ))}
      </Stack>
    </Alert>
  );
}

function LossLine({
  loss: { fieldname, loss, values, examples, required },
  isDeleted,
  onToggle,
}: {
  readonly loss: Loss;
  readonly isDeleted: boolean;
  readonly onToggle: LossesProps['onToggle'];
}) {
  const { base } = useDesign();
  const known = base.fields.find((field) => field.values['fieldname'] === fieldname);
  const field = textOf(known?.values ?? {}, 'label') || fieldname;
  return (
    <div>
      <strong dir="auto">{field}</strong>
      {': '}
      {loss === 'converted'
        ? tn(values, '{count} value does not fit the new type', '{count} values do not fit the new type')
        : tn(values, '{count} row has a value', '{count} rows have a value')}
      {examples.length > 0 && <div className={css['examples']}>{examples.join(' · ')}</div>}
      {!required && (
        <div className={css['lossChoice']}>
          <Checkbox
            isOn={isDeleted}
            onChange={(on) => onToggle(fieldname, on)}
            label={t('Delete these values too')}
            description={t('Otherwise they stay stored, and a new field of this name finds them again.')}
          />
        </div>
      )}
    </div>
  );
}

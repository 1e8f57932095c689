import { t } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import type { Conflict } from '../../form/conflict.ts';
import { goToField, useForm } from '../../form/form-context.ts';
import type { RecordModel } from '../../form/record.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import { Button } from '../../widgets/button.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { Row } from '../../widgets/layout.tsx';
import { Warnings } from './condition-warnings.tsx';

/** Notices above the fields: changes by others, and conditions that do not work. */
export function RecordNotices({ model }: { readonly model: RecordModel }) {
  const { isOutdated, pending } = useStore(model.state);
  return (
    <>
      {pending && <Both model={model} pending={pending} />}
      {isOutdated && <Outdated model={model} />}
      <Warnings meta={model.bundle.meta} />
    </>
  );
}

interface BothProps {
  readonly model: RecordModel;
  readonly pending: Conflict;
}

// Fields that this user and another one changed. Links lead to them.
function Both({ model, pending }: BothProps) {
  const form = useForm();
  return (
    <Alert
      tone="warning"
      title={t('{user} changed fields that you are editing', { user: pending.doc.modified_by })}
    >
      <Row>
        {pending.differences
          .filter((one) => one.isBoth)
          .map(({ field }) => (
            <Button key={field.fieldname} kind="quiet" onClick={() => goToField(form, field.fieldname)}>
              {labelOf(field)}
            </Button>
          ))}
        <Button onClick={() => model.choose()}>{t('Choose values')}</Button>
      </Row>
    </Alert>
  );
}

function Outdated({ model }: { readonly model: RecordModel }) {
  return (
    <Alert tone="warning" title={t('Someone else has changed this document')}>
      <Row>
        <span>{t('Its status has changed, so your changes cannot be merged.')}</span>
        <Button onClick={() => void model.reload()}>{t('Discard changes')}</Button>
      </Row>
    </Alert>
  );
}

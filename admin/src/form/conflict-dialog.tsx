import { useState } from 'react';
import { formatRelative } from '../base/format.ts';
import { t } from '../base/i18n.ts';
import { formatValue } from '../meta/field-values.ts';
import type { Field } from '../meta/meta.ts';
import { labelOf } from '../meta/standard-fields.ts';
import { Button } from '../widgets/button.tsx';
import { Modal } from '../widgets/dialogs.tsx';
import { Badge } from '../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../widgets/layout.tsx';
import type { Conflict, Difference } from './conflict.ts';
import css from './conflict-dialog.module.css';
import { isRows } from './doc-values.ts';

interface ConflictDialogProps {
  readonly conflict: Conflict;
  readonly onClose: () => void;
  /** `kept` names the fields that keep the user's value. */
  readonly onSettle: (kept: readonly string[], isSaving: boolean) => void;
}

/** Resolves a conflict with another user's save: for each field changed by both, the user chooses a value. */
export function ConflictDialog({ conflict, onClose, onSettle }: ConflictDialogProps) {
  const both = conflict.differences.filter((one) => one.isBoth);
  const theirs = conflict.differences.filter((one) => !one.isBoth);
  const [kept, setKept] = useState<ReadonlySet<string>>(
    () => new Set(both.map((one) => one.field.fieldname)),
  );
  const choose = (field: string, isMine: boolean) =>
    setKept((before) => new Set(isMine ? [...before, field] : [...before].filter((one) => one !== field)));
  const { modified, modified_by: who } = conflict.doc;
  return (
    <Modal isOpen isSticky width={760} onClose={onClose} title={t('Someone else changed this document')}>
      <Stack>
        <p>
          {t('{user} saved it {when}. Your changes are safe: choose which value to keep.', {
            user: who,
            when: formatRelative(modified),
          })}
        </p>
        {both.map((one) => (
          <Choice
            key={one.field.fieldname}
            difference={one}
            isMine={kept.has(one.field.fieldname)}
            onChoose={(isMine) => choose(one.field.fieldname, isMine)}
          />
        ))}
        {theirs.length > 0 && (
          <div>
            <Muted isSmall>{t('Their changes, merged automatically')}</Muted>
            <ul className={css['taken']}>
              {theirs.map(({ field, theirs: value }) => (
                <li key={field.fieldname}>
                  <strong>{labelOf(field)}</strong> <span dir="auto">{shown(field, value)}</span>
                </li>
              ))}
            </ul>
          </div>
        )}
        <Row isApart>
          <Button onClick={onClose}>{t('Back to the form')}</Button>
          <Row>
            <Button onClick={() => onSettle([...kept], false)}>{t('Merge without saving')}</Button>
            <Button kind="primary" onClick={() => onSettle([...kept], true)} data-autofocus>
              {t('Merge and save')}
            </Button>
          </Row>
        </Row>
      </Stack>
    </Modal>
  );
}

interface ChoiceProps {
  readonly difference: Difference;
  readonly isMine: boolean;
  readonly onChoose: (isMine: boolean) => void;
}

function Choice({ difference, isMine, onChoose }: ChoiceProps) {
  const { field, before, mine, theirs } = difference;
  const name = `conflict-${field.fieldname}`;
  const options = [
    { value: 'mine', label: t('Your value'), shownValue: mine, isChosen: isMine },
    { value: 'theirs', label: t('Their value'), shownValue: theirs, isChosen: !isMine },
  ];
  return (
    <fieldset className={css['choice']}>
      <legend className={css['legend']}>
        {labelOf(field)}{' '}
        <Muted isSmall>{t('was {value}', { value: shown(field, before) || t('empty') })}</Muted>
      </legend>
      {options.map(({ value, label, shownValue, isChosen }) => (
        <label key={value} className={isChosen ? css['optionOn'] : css['option']}>
          <input type="radio" name={name} checked={isChosen} onChange={() => onChoose(value === 'mine')} />
          <Badge tone={value === 'mine' ? 'info' : 'neutral'}>{label}</Badge>
          <span className={css['value']} dir="auto">
            {shown(field, shownValue) || <Muted>{t('empty')}</Muted>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Maximum characters shown of a value: enough to compare two. */
const LONGEST = 400;

function shown(field: Field, value: unknown): string {
  const text = formatValue(
    field,
    isRows(value) ? value.map((row) => ('values' in row ? row.values : row)) : value,
  );
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { movedColumn } from '../../grid/list-columns.ts';
import type { Field } from '../../meta/meta.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { Checkbox } from '../../widgets/checks.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted, Row } from '../../widgets/layout.tsx';
import css from './list-screen.module.css';

export interface ColumnChooserProps {
  readonly fields: readonly Field[];
  /** Fieldnames of the visible columns, in order. */
  readonly shown: readonly string[];
  readonly onChange: (shown: readonly string[] | null) => void;
}

/** Chooses and orders the columns of a list: visible columns first, then the others. */
export function ColumnChooser({ fields, shown, onChange }: ColumnChooserProps) {
  const [text, setText] = useState('');
  const byName = new Map(fields.map((field) => [field.fieldname, field]));
  const matches = (field: Field) =>
    `${labelOf(field)} ${field.fieldname}`.toLocaleLowerCase().includes(text.trim().toLocaleLowerCase());
  const on = shown.flatMap((name) => byName.get(name) ?? []);
  const off = fields.filter((field) => !shown.includes(field.fieldname));
  return (
    <div className={css['chooser']}>
      <TextInput
        aria-label={t('Find a column')}
        placeholder={t('Find a column')}
        value={text}
        onChange={setText}
        data-autofocus
      />
      <ul className={css['columns']}>
        {on.filter(matches).map((field) => (
          <li key={field.fieldname}>
            <Checkbox
              label={labelOf(field)}
              isOn
              disabled={on.length === 1}
              onChange={() => onChange(shown.filter((name) => name !== field.fieldname))}
            />
            <span className={css['moves']}>
              <IconButton
                isSmall
                hasTooltip={false}
                icon="up"
                label={t('Move {label} up', { label: labelOf(field) })}
                disabled={on[0] === field}
                onClick={() =>
                  onChange(movedColumn(shown, field.fieldname, shown.indexOf(field.fieldname) - 1))
                }
              />
              <IconButton
                isSmall
                hasTooltip={false}
                icon="down"
                label={t('Move {label} down', { label: labelOf(field) })}
                disabled={on.at(-1) === field}
                onClick={() =>
                  onChange(movedColumn(shown, field.fieldname, shown.indexOf(field.fieldname) + 1))
                }
              />
            </span>
          </li>
        ))}
        {off.filter(matches).map((field) => (
          <li key={field.fieldname}>
            <Checkbox
              label={labelOf(field)}
              isOn={false}
              onChange={() => onChange([...shown, field.fieldname])}
            />
            <Muted isSmall>{field.fieldname}</Muted>
          </li>
        ))}
      </ul>
      <Row isApart>
        <Button kind="quiet" onClick={() => onChange(null)}>
          {t('Default columns')}
        </Button>
        <Button kind="quiet" onClick={() => onChange(fields.map((field) => field.fieldname))}>
          {t('Show all')}
        </Button>
      </Row>
    </div>
  );
}

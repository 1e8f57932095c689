import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { movedColumn } from '../../grid/list-columns.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { Checkbox } from '../../widgets/checks.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted, Row } from '../../widgets/layout.tsx';
import type { ChooserColumn } from './chooser-columns.ts';
import css from './list-screen.module.css';

export interface ColumnChooserProps {
  readonly columns: readonly ChooserColumn[];
  /** Names of the chosen columns, in order. */
  readonly shown: readonly string[];
  readonly onChange: (shown: readonly string[] | null) => void;
}

/** Chooses and orders columns: chosen columns first, then the others. */
export function ColumnChooser({ columns, shown, onChange }: ColumnChooserProps) {
  const [text, setText] = useState('');
  const sought = text.trim().toLocaleLowerCase();
  const found = columns.filter(({ name, label }) => `${label} ${name}`.toLocaleLowerCase().includes(sought));
  const on = shown.flatMap((name) => found.find((one) => one.name === name) ?? []);
  const off = found.filter(({ name }) => !shown.includes(name));
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
        {on.map((column) => (
          <Chosen key={column.name} {...{ column, shown, onChange }} />
        ))}
        {off.map(({ name, label }) => (
          <li key={name}>
            <Checkbox label={label} isOn={false} onChange={() => onChange([...shown, name])} />
            <Muted isSmall>{name}</Muted>
          </li>
        ))}
      </ul>
      <Row isApart>
        <Button kind="quiet" onClick={() => onChange(null)}>
          {t('Default columns')}
        </Button>
        <Button kind="quiet" onClick={() => onChange(columns.map(({ name }) => name))}>
          {t('Show all')}
        </Button>
      </Row>
    </div>
  );
}

function Chosen({
  column: { name, label },
  shown,
  onChange,
}: Pick<ColumnChooserProps, 'shown' | 'onChange'> & {
  readonly column: ChooserColumn;
}) {
  const place = shown.indexOf(name);
  return (
    <li>
      <Checkbox
        label={label}
        isOn
        disabled={shown.length === 1}
        onChange={() => onChange(shown.filter((one) => one !== name))}
      />
      <span className={css['moves']}>
        <IconButton
          isSmall
          hasTooltip={false}
          icon="up"
          label={t('Move {label} up', { label })}
          disabled={place === 0}
          onClick={() => onChange(movedColumn(shown, name, place - 1))}
        />
        <IconButton
          isSmall
          hasTooltip={false}
          icon="down"
          label={t('Move {label} down', { label })}
          disabled={place === shown.length - 1}
          onClick={() => onChange(movedColumn(shown, name, place + 1))}
        />
      </span>
    </li>
  );
}

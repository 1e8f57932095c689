import { useRef } from 'react';
import { flushSync } from 'react-dom';
import { t } from '../../base/i18n.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Select } from '../../widgets/select.tsx';
import css from './designer.module.css';
import { useDesign } from './designer-context.ts';
import { changed, type DraftField, isBreak, newField, removed, textOf, typeOf } from './draft.ts';
import { kindGroups } from './field-kinds.ts';
import { useDoctypes } from './use-doctypes.ts';

interface ChildColumnsProps {
  /** The key of the table. */
  readonly of: string;
  /** The new child doctype. */
  readonly name: string;
  readonly columns: readonly DraftField[];
}

/** The columns of a new child doctype. Enter in a label adds the next one. */
export function ChildColumns({ of, name, columns }: ChildColumnsProps) {
  const store = useDesign();
  const list = useRef<HTMLDivElement>(null);
  const set = (make: (columns: readonly DraftField[]) => readonly DraftField[], typed = '') =>
    store.change(
      (draft) => ({ ...draft, children: { ...draft.children, [name]: make(draft.children[name] ?? []) } }),
      typed,
    );
  const add = () => {
    flushSync(() => set((all) => [...all, newField(all, 'Data', { in_list_view: 1 })]));
    list.current?.querySelectorAll<HTMLElement>('[data-label]')[columns.length]?.focus();
  };
  const rename = (next: string) =>
    store.change((draft) => {
      const { [name]: rows = [], ...others } = draft.children;
      if (others[next]) return draft;
      return {
        ...draft,
        fields: changed(draft.fields, of, 'options', next),
        children: { ...others, [next]: rows },
      };
    }, `${of}.child`);
  return (
    <div className={css['child']} ref={list}>
      <TextInput label={t('New child doctype')} value={name} onChange={rename} />
      <span className={css['optionsLabel']}>{t('Columns')}</span>
      {columns.map((column, at) => (
        <ChildColumn key={column.key} column={column} at={at + 1} onSet={set} onAdd={add} />
      ))}
      <Button icon="plus" kind="quiet" onClick={add}>
        {t('Add column')}
      </Button>
    </div>
  );
}

interface ChildColumnProps {
  readonly column: DraftField;
  /** Its number, from 1. */
  readonly at: number;
  readonly onSet: (make: (columns: readonly DraftField[]) => readonly DraftField[], typed?: string) => void;
  readonly onAdd: () => void;
}

function ChildColumn({ column, at, onSet, onAdd }: ChildColumnProps) {
  const { key, values } = column;
  const type = typeOf(column);
  const kinds = kindGroups().flatMap((group) => group.kinds);
  const choices = kinds.filter((kind) => !isBreak(kind.type) && !UNFIT.has(kind.type));
  const set = (property: string, value: unknown) =>
    onSet((all) => changed(all, key, property, value), `${key}.${property}`);
  return (
    <div className={css['childColumn']}>
      <div className={css['childLine']}>
        <TextInput
          aria-label={t('Label of column {at}', { at })}
          placeholder={t('Label')}
          data-label=""
          dir="auto"
          value={textOf(values, 'label')}
          onChange={(next) => set('label', next)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            onAdd();
          }}
        />
        <Select
          aria-label={t('Type of column {at}', { at })}
          value={type}
          onChange={(next) => set('fieldtype', next)}
          choices={choices.map((kind) => ({ value: kind.type, label: kind.label }))}
        />
        <IconButton
          isSmall
          icon="close"
          label={t('Remove column {at}', { at })}
          onClick={() => onSet((all) => removed(all, key))}
        />
      </div>
      <ColumnOptions type={type} at={at} value={textOf(values, 'options')} onSet={set} />
    </div>
  );
}

const UNFIT: ReadonlySet<string> = new Set([
  'Table',
  'Table MultiSelect',
  'Heading',
  'HTML',
  'Fold',
  'Button',
]);

function ColumnOptions({
  type,
  at,
  value,
  onSet,
}: {
  readonly type: string;
  readonly at: number;
  readonly value: string;
  readonly onSet: (property: string, value: unknown) => void;
}) {
  const doctypes = useDoctypes();
  if (type === 'Select') {
    return (
      <TextInput
        aria-label={t('Options of column {at}', { at })}
        placeholder={t('Options, with commas between them')}
        value={value.split('\n').join(', ')}
        onChange={(next) => onSet('options', next.split(/, ?/).join('\n'))}
      />
    );
  }
  if (type !== 'Link') return null;
  return (
    <Select
      aria-label={t('Linked doctype of column {at}', { at })}
      placeholder={t('Choose a doctype')}
      isSearchable
      value={value || null}
      onChange={(next) => onSet('options', next)}
      choices={doctypes.filter((one) => !one.istable).map(({ name }) => ({ value: name, label: t(name) }))}
    />
  );
}

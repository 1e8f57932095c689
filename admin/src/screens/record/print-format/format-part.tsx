import { t } from '../../../base/i18n.ts';
import { useFieldError, useValue } from '../../../form/form-context.ts';
import { labelOf } from '../../../meta/standard-fields.ts';
import { IconButton } from '../../../widgets/button.tsx';
import { Icon } from '../../../widgets/icon.tsx';
import { TextInput } from '../../../widgets/inputs.tsx';
import { Select } from '../../../widgets/select.tsx';
import { Textarea } from '../../../widgets/textarea.tsx';
import { MultiSelect } from '../../../widgets/token-inputs.tsx';
import { MoveHandle } from '../../dashboards/move-handle.tsx';
import css from './format-editor.module.css';
import { columnsIn, type Part, partOf, printable } from './format-parts.ts';
import type { FormatParts } from './use-format-parts.ts';

interface PartProps {
  readonly format: FormatParts;
  readonly at: number;
  readonly isReadOnly: boolean;
}

/** A part of a Print Format, with what it shows and its tools. */
export function FormatPart(props: PartProps) {
  const { format, at, isReadOnly } = props;
  const path = `${format.table}[${at}]`;
  const part = partOf(useValue(path) as Parameters<typeof partOf>[0]);
  const title = t('part {at}', { at: at + 1 });
  return (
    <li className={css['part']} data-card data-type={part.type} data-path={path}>
      <div className={css['values']}>
        <PartValues {...props} part={part} />
      </div>
      {!isReadOnly && (
        <span className={css['tools']}>
          <MoveHandle at={at} title={title} onMove={(to) => format.move(at, to)} />
          <IconButton
            isSmall
            icon="trash"
            label={t('Remove {title}', { title })}
            onClick={() => format.remove(at)}
          />
        </span>
      )}
    </li>
  );
}

function PartValues({ format, at, isReadOnly, part }: PartProps & { readonly part: Part }) {
  if (part.type === 'Field') return <FieldValues {...{ format, at, isReadOnly, part }} />;
  if (part.type === 'Column')
    return (
      <span className={css['column']}>
        <Icon name="columns" size={16} />
        {t('Next column')}
      </span>
    );
  if (part.type === 'Text')
    return (
      <Textarea
        aria-label={t('Text of part {at}', { at: at + 1 })}
        placeholder={t('Text')}
        rows={3}
        dir="auto"
        readOnly={isReadOnly}
        value={part.content}
        onChange={(next) => format.set(at, 'content', next)}
      />
    );
  return (
    <TextInput
      aria-label={t('Heading of part {at}', { at: at + 1 })}
      placeholder={t('Section without heading')}
      start={<Icon name="section" size={16} />}
      dir="auto"
      readOnly={isReadOnly}
      value={part.label}
      onChange={(next) => format.set(at, 'label', next)}
    />
  );
}

function FieldValues({ format, at, isReadOnly, part }: PartProps & { readonly part: Part }) {
  const error = useFieldError(`${format.table}[${at}].fieldname`);
  const field = format.fields.find(({ fieldname }) => fieldname === part.fieldname);
  const child = field && format.children.get(field.options);
  // A field that the doctype no longer has stays readable.
  const gone = field || part.fieldname === '' ? [] : [{ value: part.fieldname, label: part.fieldname }];
  return (
    <>
      <div className={css['pair']}>
        <Select
          aria-label={t('Field of part {at}', { at: at + 1 })}
          placeholder={t('Choose a field')}
          readOnly={isReadOnly}
          error={error ?? undefined}
          value={part.fieldname || null}
          onChange={(next) => format.set(at, 'fieldname', next ?? '')}
          choices={[...format.fields.map((one) => ({ value: one.fieldname, label: labelOf(one) })), ...gone]}
        />
        <TextInput
          aria-label={t('Label of part {at}', { at: at + 1 })}
          placeholder={field ? labelOf(field) : t('Label')}
          dir="auto"
          readOnly={isReadOnly}
          value={part.label}
          onChange={(next) => format.set(at, 'label', next)}
        />
      </div>
      {child && (
        <MultiSelect
          aria-label={t('Columns of part {at}', { at: at + 1 })}
          placeholder={part.columns === '' ? t('Columns: those of the list') : undefined}
          disabled={isReadOnly}
          value={columnsIn(part.columns)}
          onChange={(next) => format.set(at, 'columns', next.join(', '))}
          choices={printable(child.fields).map((one) => ({ value: one.fieldname, label: labelOf(one) }))}
        />
      )}
    </>
  );
}

import { memo, type ReactNode, useEffect, useRef } from 'react';
import { t } from '../../base/i18n.ts';
import { sizeOfField } from '../../form/field-size.ts';
import { IconButton } from '../../widgets/button.tsx';
import { Icon } from '../../widgets/icon.tsx';
import css from './designer.module.css';
import { useDesign, useDesigned } from './designer-context.ts';
import { type DraftField, duplicated, isOn, removed, textOf, typeOf } from './draft.ts';
import { FauxControl } from './faux-control.tsx';
import { kindOf } from './field-kinds.ts';
import { isShipped } from './locks.ts';
import { useDrag } from './use-drag.ts';

/** A field in the canvas. It re-renders only when the field changes, or its selection or problems do. */
export const CanvasCard = memo(function CanvasCard({ field }: { readonly field: DraftField }) {
  const { values } = field;
  const label = titleOf(field);
  return (
    <Handle field={field} label={label} className={css['card']}>
      <span className={css['cardLabel']}>
        {typeOf(field) === 'Check' && <span className={css['fauxCheck']} />}
        <span dir="auto">{label}</span>
        {isOn(values, 'reqd') && <span className={css['star']}>*</span>}
        <Marks field={field} />
        <span className={css['cardType']}>{kindOf(typeOf(field)).label}</span>
      </span>
      <FauxControl field={field} />
    </Handle>
  );
});

/** The head of a section. */
export const SectionHead = memo(function SectionHead({ field }: { readonly field: DraftField }) {
  const label = textOf(field.values, 'label');
  return (
    <Handle field={field} label={label || t('Section')} className={css['head']}>
      <span className={css['cardLabel']}>
        <Icon name="section" />
        <span dir="auto" className={label === '' ? css['unnamed'] : css['headLabel']}>
          {label || t('Section without a heading')}
        </span>
        <Marks field={field} />
      </span>
    </Handle>
  );
});

/** The head of the first column beside others. No field begins it. */
export function FirstColumnHead() {
  return (
    <div className={css['firstColumnHead']} aria-hidden="true">
      <Icon name="columns" size={14} />
      {t('Column')}
    </div>
  );
}

/** The head of a column behind the first. */
export const ColumnHead = memo(function ColumnHead({ field }: { readonly field: DraftField }) {
  return (
    <Handle field={field} label={t('Column')} className={css['columnHead']}>
      <span className={css['cardLabel']}>
        <Icon name="columns" size={14} />
        <span className={css['unnamed']}>{textOf(field.values, 'label') || t('Column')}</span>
      </span>
    </Handle>
  );
});

export function titleOf(field: DraftField): string {
  return textOf(field.values, 'label') || textOf(field.values, 'fieldname') || kindOf(typeOf(field)).label;
}

interface HandleProps {
  readonly field: DraftField;
  readonly label: string;
  readonly className: string | undefined;
  readonly children: ReactNode;
}

function Handle({ field, label, className, children }: HandleProps) {
  const store = useDesign();
  const drag = useDrag();
  const isSelected = useDesigned(({ selected }) => selected === field.key);
  const isFirst = useDesigned(
    ({ selected, draft }) => selected === null && draft.fields[0]?.key === field.key,
  );
  const size = useSize(field);
  const problem = useProblem(field);
  const card = useRef<HTMLDivElement>(null);
  // A new field may be outside of what is shown, and a longer label may make its card higher.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height of the card depends on the label
  useEffect(() => {
    if (isSelected) card.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected, label]);
  const begin = (event: React.PointerEvent<HTMLElement>) => drag(event, { key: field.key }, label);
  return (
    <div
      ref={card}
      className={className}
      data-drop="field"
      data-key={field.key}
      data-size={size}
      data-selected={isSelected || undefined}
      data-problem={problem === '' ? undefined : ''}
      data-hidden={isOn(field.values, 'hidden') || undefined}
      onPointerDown={begin}
    >
      <button
        type="button"
        className={css['cardButton']}
        aria-pressed={isSelected}
        aria-describedby="designer-keys"
        tabIndex={isSelected || isFirst ? 0 : -1}
        onClick={() => store.select(field.key)}
      >
        {children}
        {problem !== '' && <span className={css['problem']}>{problem}</span>}
      </button>
      <span
        className={css['grip']}
        aria-hidden="true"
        onPointerDown={(event) => {
          event.stopPropagation();
          begin(event);
        }}
      >
        <Icon name="drag" />
      </span>
      {isSelected && <Tools field={field} label={label} />}
    </div>
  );
}

function Tools({ field, label }: { readonly field: DraftField; readonly label: string }) {
  const store = useDesign();
  const isFixed = isShipped(store.design, field);
  return (
    <span className={css['tools']} onPointerDown={(event) => event.stopPropagation()}>
      <IconButton
        isSmall
        icon="copy"
        label={t('Duplicate {field}', { field: label })}
        onClick={() => store.changeFields((fields) => duplicated(fields, field.key))}
      />
      {!isFixed && (
        <IconButton
          isSmall
          icon="trash"
          label={t('Remove {field}', { field: label })}
          onClick={() => store.changeFields((fields) => removed(fields, field.key))}
        />
      )}
    </span>
  );
}

function Marks({ field }: { readonly field: DraftField }) {
  const { design } = useDesign();
  const { values } = field;
  return (
    <>
      {isOn(values, 'hidden') && <span className={css['mark']}>{t('Hidden')}</span>}
      {design && !field.isStored && <span className={css['mark']}>{t('New')}</span>}
      {design?.app && isOn(values, 'is_custom_field') && <span className={css['mark']}>{t('Custom')}</span>}
      {design?.customized.some(({ fieldname }) => fieldname === values['fieldname']) && (
        <span className={css['mark']}>{t('Customized')}</span>
      )}
    </>
  );
}

// As in the form.
function useSize(field: DraftField): string {
  return useDesigned(({ draft: { properties } }) => {
    const titleField = isOn(properties, 'istable') ? '' : properties['title_field'];
    return sizeOfField(textOf(field.values, 'fieldname'), typeOf(field), titleField);
  });
}

function useProblem({ values }: DraftField): string {
  return useDesigned(({ problems }) => problems.get(textOf(values, 'fieldname'))?.join(' ') ?? '');
}

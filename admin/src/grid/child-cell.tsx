import { memo, useCallback, useEffect, useRef } from 'react';
import { t } from '../base/i18n.ts';
import { cellPath } from '../form/doc-path.ts';
import { useFieldError, useForm, useValue } from '../form/form-context.ts';
import { tellRendered } from '../form/render-probe.ts';
import { fieldEntry } from '../meta/field-registry.ts';
import { isNumber } from '../meta/fieldtypes.ts';
import { useLinkTitle } from '../meta/link-titles.ts';
import type { Field } from '../meta/meta.ts';
import { Icon } from '../widgets/icon.tsx';
import { shownOf } from './child-actions.ts';
import { goTo, setEditing } from './child-cursor.ts';
import css from './child-grid.module.css';
import { cellId, useChildGrid } from './child-grid-context.ts';
import { afterEdit } from './child-keys.ts';
import { GridCell } from './grid-parts.tsx';

interface CellProps {
  readonly field: Field;
  readonly row: number;
  readonly column: number;
  readonly isActive: boolean;
  readonly isEditing: boolean;
}

/** One cell. It listens only to its own value and error. */
export const ChildCell = memo(function ChildCell({ field, row, column, isActive, isEditing }: CellProps) {
  const { table, gridId } = useChildGrid();
  const path = cellPath(table, row, field.fieldname);
  tellRendered(path);
  const value = useValue(path);
  const error = useFieldError(path);
  const names = [
    'cell',
    isActive && 'active',
    error !== null && 'wrong',
    isNumber(field.fieldtype) && 'number',
  ];
  return (
    <GridCell
      id={cellId(gridId, row, column)}
      aria-colindex={column + 2}
      aria-invalid={error !== null || undefined}
      aria-selected={isActive}
      data-column={column}
      title={error ?? undefined}
      className={names
        .filter(Boolean)
        .map((name) => css[String(name)])
        .join(' ')}
    >
      {isEditing ? (
        <Editor field={field} row={row} column={column} path={path} value={value} error={error} />
      ) : (
        <Shown field={field} value={value} row={row} />
      )}
      {error !== null && <span className="visually-hidden">{error}</span>}
    </GridCell>
  );
});

function Shown({
  field,
  value,
  row,
}: {
  readonly field: Field;
  readonly value: unknown;
  readonly row: number;
}) {
  const { store } = useForm();
  const { table } = useChildGrid();
  if (field.fieldtype === 'Check')
    return Number(value) ? (
      <span className={css['check']}>
        <Icon name="check" />
        <span className="visually-hidden">{t('Yes')}</span>
      </span>
    ) : (
      <span className="visually-hidden">{t('No')}</span>
    );
  if (typeof value === 'string' && value !== '') {
    if (field.fieldtype === 'Link') return <LinkText doctype={field.options} name={value} />;
    if (field.fieldtype === 'Dynamic Link') {
      const doctype = store.get(cellPath(table, row, field.options));
      if (typeof doctype === 'string') return <LinkText doctype={doctype} name={value} />;
    }
  }
  return <Text text={shownOf(field, value)} />;
}

function LinkText({ doctype, name }: { readonly doctype: string; readonly name: string }) {
  return <Text text={useLinkTitle(doctype, name) ?? name} />;
}

function Text({ text }: { readonly text: string }) {
  return (
    <span className={css['text']} dir="auto" title={text.length > 24 ? text : undefined}>
      {text}
    </span>
  );
}

interface EditorProps {
  readonly field: Field;
  readonly row: number;
  readonly column: number;
  readonly path: string;
  readonly value: unknown;
  readonly error: string | null;
}

/** With Ctrl or ⌘, these keys act on the document even during editing: save, submit, the palette. */
const BEYOND = ['s', 'Enter', 'k'];

/** The control of an edited cell. Escape restores the previous value. */
function Editor({ field, row, column, path, value, error }: EditorProps) {
  const form = useForm();
  const { store } = form;
  const { table, meta, cursor, columns, focus } = useChildGrid();
  const before = useRef(value);
  const box = useRef<HTMLDivElement>(null);
  const change = useCallback((next: unknown) => store.set(path, next), [store, path]);
  const fieldValue = useCallback(
    (name: string) => store.get(cellPath(table, row, name)),
    [store, table, row],
  );
  useEffect(() => {
    const input = box.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea');
    input?.focus();
    if (input && input.type !== 'checkbox') input.select();
  }, []);
  const { Control } = fieldEntry(field.fieldtype);
  if (!Control) return <Text text={shownOf(field, value)} />;
  const leave = (next: { readonly row: number; readonly column: number }) => {
    const last = store.rows(table).length - 1;
    if (next.row > last) {
      store.addRow(table);
      goTo(cursor, last + 1, 0);
    } else goTo(cursor, Math.max(0, next.row), next.column);
    focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the control within
    <div
      ref={box}
      className={css['editor']}
      onKeyDown={(event) => {
        if ((event.ctrlKey || event.metaKey) && BEYOND.includes(event.key)) {
          // Committed and blurred first, so that the save or submit includes the value.
          if (event.target instanceof HTMLElement) event.target.blur();
          setEditing(cursor, false);
          focus();
          return;
        }
        event.stopPropagation();
        if (event.nativeEvent.isComposing || event.defaultPrevented) return;
        if (event.key === 'Escape') {
          event.preventDefault();
          store.set(path, before.current);
          setEditing(cursor, false);
          focus();
        } else if (event.key === 'Tab' || (event.key === 'Enter' && !event.altKey && !isMany(event.target))) {
          event.preventDefault();
          // Some controls commit their value on blur.
          if (event.target instanceof HTMLElement) event.target.blur();
          leave(afterEdit(event, { row, column }, columns.length));
        }
      }}
      onBlur={(event) => {
        if (event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)) return;
        // The focus left by pointer. The code above handles Enter and Tab.
        const state = cursor.get();
        if (state.isEditing && state.row === row && state.column === column && document.hasFocus())
          setEditing(cursor, false);
      }}
    >
      <Control
        field={field}
        value={value}
        onChange={change}
        isReadOnly={false}
        isRequired={field.reqd}
        error={error ?? undefined}
        doctype={meta.name}
        docname={form.docname}
        valueOf={fieldValue}
        isInCell
        autoFocus
      />
    </div>
  );
}

// In multi-line text Enter starts a new line, unless pressed with a key that commits everywhere.
function isMany(target: EventTarget): boolean {
  return target instanceof HTMLTextAreaElement;
}

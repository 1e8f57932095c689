import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { cellPath } from '../form/doc-path.ts';
import { isUnset } from '../form/doc-values.ts';
import { pathBeside } from '../form/field-state.ts';
import { useForm } from '../form/form-context.ts';
import { fieldEntry } from '../meta/field-registry.ts';
import type { Field } from '../meta/meta.ts';
import { shownOf } from './child-actions.ts';
import type { ChildColumn } from './child-columns.ts';
import { goTo, setEditing } from './child-cursor.ts';
import css from './child-grid.module.css';
import { useChildGrid } from './child-grid-context.ts';
import { afterEdit } from './child-keys.ts';

interface EditorProps {
  readonly field: Field;
  readonly row: number;
  readonly column: number;
  readonly value: unknown;
  readonly error: string | null;
}

/** The control of an edited cell. Escape restores the previous value. */
export function CellEditor({ field, row, column, value, error }: EditorProps) {
  const { docname } = useForm();
  const { meta } = useChildGrid();
  const { box, change, complain, ask, press, blur } = useEditing(field, row, column, value);
  const { Control } = fieldEntry(field.fieldtype);
  if (!Control) return <span className={css['text']}>{shownOf(field, value)}</span>;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the control within
    <div ref={box} className={css['editor']} onKeyDown={press} onBlur={blur}>
      <Control
        field={field}
        value={value}
        onChange={change}
        onProblem={complain}
        isReadOnly={false}
        isRequired={field.reqd}
        error={error ?? undefined}
        doctype={meta.name}
        docname={docname}
        valueOf={ask}
        isInCell
        autoFocus
      />
    </div>
  );
}

/** With Ctrl or ⌘, these keys act on the document even during editing: save, submit, the palette. */
const BEYOND = ['s', 'Enter', 'k'];

function useEditing(field: Field, row: number, column: number, value: unknown) {
  const { store } = useForm();
  const { table, cursor, columns, focus, isOpen } = useChildGrid();
  const isOpenAt = (one: ChildColumn | undefined, at: number) => one !== undefined && isOpen(one.field, at);
  const before = useRef(value);
  const box = useRef<HTMLDivElement>(null);
  const { change, complain, ask } = useCellValue(field, row);
  useEffect(() => {
    const input = box.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea');
    input?.focus();
    if (input && input.type !== 'checkbox') input.select();
  }, []);
  const end = () => {
    setEditing(cursor, false);
    focus();
  };
  const leave = (next: { readonly row: number; readonly column: number }) => {
    const last = store.rows(table).length - 1;
    if (next.row > last) {
      store.addRow(table);
      goTo(cursor, last + 1, next.column);
    } else goTo(cursor, Math.max(0, next.row), next.column);
    focus();
  };
  const press = (event: KeyboardEvent) => {
    const control = event.target instanceof HTMLElement ? event.target : null;
    if ((event.ctrlKey || event.metaKey) && BEYOND.includes(event.key)) {
      // Committed and blurred first, so that the save or submit includes the value.
      control?.blur();
      return end();
    }
    event.stopPropagation();
    if (event.nativeEvent.isComposing || event.defaultPrevented) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      change(before.current);
      end();
    } else if (event.key === 'Tab' || (event.key === 'Enter' && !event.altKey && !isMany(event.target))) {
      event.preventDefault();
      // Some controls commit their value on blur.
      control?.blur();
      leave(
        afterEdit(
          event,
          { row, column },
          {
            columns: columns.length,
            rows: store.rows(table).length,
            isOpen: (at, one) => isOpenAt(columns[one], at),
            isEmpty: (at, one) => isUnset(store.rows(table)[at]?.values[columns[one]?.field.fieldname ?? '']),
          },
        ),
      );
    }
  };
  const blur = (event: { readonly relatedTarget: unknown; readonly currentTarget: Node }) => {
    if (event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)) return;
    // The focus left by pointer. The code above handles Enter and Tab.
    const state = cursor.get();
    if (state.isEditing && state.row === row && state.column === column && document.hasFocus())
      setEditing(cursor, false);
  };
  return { box, change, complain, ask, press, blur };
}

// The value of a cell by the key of its row, because a link may find its document after the row has moved.
function useCellValue(field: Field, row: number) {
  const form = useForm();
  const { store } = form;
  const { table, meta } = useChildGrid();
  const [key] = useState(() => store.rows(table)[row]?.key);
  const pathNow = () => {
    const at =
      store.rows(table)[row]?.key === key ? row : store.rows(table).findIndex((one) => one.key === key);
    return at < 0 ? null : (name: string) => cellPath(table, at, name);
  };
  const change = (next: unknown) => {
    const path = pathNow();
    if (path) store.set(path(field.fieldname), next);
  };
  const complain = (message: string) => {
    const path = pathNow();
    if (path) store.setError(path(field.fieldname), message);
  };
  const ask = (name: string) => {
    const path = pathNow();
    return path ? store.get(pathBeside(form, { meta, prefix: path('') }, name)) : undefined;
  };
  return { change, complain, ask };
}

// In multi-line text Enter starts a new line, unless pressed with a key that commits everywhere.
function isMany(target: EventTarget): boolean {
  return target instanceof HTMLTextAreaElement;
}

import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { Button } from '../button.tsx';
import { Muted, Row } from '../layout.tsx';
import { Textarea } from '../textarea.tsx';
import { frameOf, textOf } from './control-frame.ts';
import css from './fields.module.css';

/** Code and Geolocation: letters of one width, nothing corrected. Tab leaves the field, as everywhere. */
export function CodeControl(props: ControlProps) {
  const { value, onChange, onCommit, isReadOnly, isInCell, autoFocus } = props;
  return (
    <Textarea
      {...frameOf(props)}
      isCode
      dir="ltr"
      value={textOf(value)}
      rows={isInCell ? 2 : rowsFor(textOf(value))}
      readOnly={isReadOnly}
      autoFocus={autoFocus}
      onChange={onChange}
      onBlur={onCommit}
    />
  );
}

/** JSON: code that says whether it is any, and can be laid out in lines. */
export function JsonControl(props: ControlProps) {
  const { value, onChange, onCommit, isReadOnly, isInCell, autoFocus } = props;
  // As it is stored it is one line; lines are how people read it.
  const [isLaidOut, setLaidOut] = useState(true);
  const text = textOf(value);
  const shown = isLaidOut ? laidOut(text) : text;
  const problem = problemOfJson(text);
  const frame = frameOf(props);
  return (
    <div className={css['rows']}>
      <Textarea
        {...frame}
        error={frame.error ?? (problem === null || isInCell ? undefined : problem)}
        isCode
        dir="ltr"
        value={shown}
        rows={isInCell ? 2 : rowsFor(shown)}
        readOnly={isReadOnly}
        autoFocus={autoFocus}
        onChange={(next) => {
          setLaidOut(false);
          onChange(next);
        }}
        onBlur={onCommit}
      />
      {!isInCell && !isLaidOut && problem === null && text !== '' && (
        <Row>
          <Button kind="quiet" onClick={() => setLaidOut(true)}>
            {t('Format')}
          </Button>
          <Muted isSmall>{t('Valid JSON')}</Muted>
        </Row>
      )}
    </div>
  );
}

/** What is wrong with a text that is to be JSON; null for nothing. */
export function problemOfJson(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return t('Invalid JSON: {problem}', { problem: error instanceof Error ? error.message : '' });
  }
}

// Numbers beyond what JavaScript keeps exactly would come out as others: those stay as they are written.
function laidOut(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text.trim() ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

function rowsFor(text: string): number {
  return Math.min(16, Math.max(4, text.split('\n', 17).length));
}

import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { Button } from '../button.tsx';
import { Muted, Row } from '../layout.tsx';
import { Textarea } from '../textarea.tsx';
import { frameOf, textOf } from './control-frame.ts';
import css from './fields.module.css';

/** Code and Geolocation: monospaced text without autocorrection. Tab leaves the field, as in all others. */
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

/** JSON: code with validation and formatting. */
export function JsonControl(props: ControlProps) {
  const { value, onChange, onCommit, isReadOnly, isInCell, autoFocus } = props;
  // JSON is stored on one line and shown formatted.
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

/** The error of invalid JSON; null for valid JSON. */
export function problemOfJson(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return t('Invalid JSON: {problem}', { problem: error instanceof Error ? error.message : '' });
  }
}

// Formatting would round numbers beyond the exact range of JavaScript. Text with such numbers stays
// unformatted.
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

import { useState } from 'react';
import type { ControlProps } from '../../meta/field-registry.ts';
import { TextInput } from '../inputs.tsx';
import { frameOf, textOf } from './control-frame.ts';
import { readDuration, writeDuration } from './duration-text.ts';

/** Duration: seconds, written as `1d 2h 3m 4s`. */
export function DurationControl(props: ControlProps) {
  const { value, onChange, onCommit, isReadOnly, autoFocus } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const isMine = draft !== null && Object.is(valueOfText(draft), value ?? null);
  const shown = typeof value === 'number' ? writeDuration(value) : textOf(value);
  return (
    <TextInput
      {...frameOf(props)}
      value={isMine ? draft : shown}
      placeholder="1d 2h 30m"
      readOnly={isReadOnly}
      autoFocus={autoFocus}
      onChange={(text) => {
        setDraft(text);
        onChange(valueOfText(text));
      }}
      onBlur={() => {
        setDraft(null);
        onCommit?.();
      }}
    />
  );
}

function valueOfText(text: string): unknown {
  if (text.trim() === '') return null;
  return readDuration(text) ?? text;
}

import { useEffect, useRef, useState } from 'react';
import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { Button } from '../button.tsx';
import { FieldFrame } from '../field-frame.tsx';
import { Muted, Row } from '../layout.tsx';
import { PasswordInput } from '../password-input.tsx';
import { frameOf, textOf } from './control-frame.ts';

/** Password: the server never returns it, so it can only be set, replaced or removed. */
export function PasswordControl(props: ControlProps) {
  const { value, onChange, onCommit, isReadOnly } = props;
  const [isReplacing, setReplacing] = useState(false);
  const text = textOf(value);
  const isStored = /^\*+$/.test(text);
  const isTyped = useRef(false);
  // After a save the input is closed again.
  useEffect(() => {
    if (isStored && isTyped.current) setReplacing(false);
    if (isStored) isTyped.current = false;
  }, [isStored]);
  if (isReadOnly || (isStored && !isReplacing)) {
    const { 'aria-label': _, ...frame } = frameOf(props);
    return (
      <FieldFrame {...frame}>
        {(framed) => (
          <div id={framed.id}>
            <Row>
              <Muted>{text === '' ? t('Not set') : t('Set (hidden)')}</Muted>
              {!isReadOnly && (
                <>
                  <Button
                    kind="quiet"
                    aria-describedby={framed['aria-describedby']}
                    onClick={() => setReplacing(true)}
                  >
                    {t('Replace')}
                  </Button>
                  <Button kind="quiet" onClick={() => onChange(null)}>
                    {t('Remove')}
                  </Button>
                </>
              )}
            </Row>
          </div>
        )}
      </FieldFrame>
    );
  }
  return (
    <PasswordInput
      {...frameOf(props)}
      value={isStored ? '' : text}
      autoComplete="new-password"
      autoFocus={isReplacing}
      onChange={(next) => {
        isTyped.current = next !== '';
        onChange(next === '' && isReplacing ? STORED : next);
      }}
      onBlur={() => {
        // Nothing was typed, so the old password stays.
        if (isStored) setReplacing(false);
        onCommit?.();
      }}
    />
  );
}

/** The server's placeholder for a stored password. Sending it back changes nothing. */
const STORED = '**********';

import type { ControlProps } from '../../meta/field-registry.ts';
import { Checkbox } from '../checks.tsx';
import { frameOf } from './control-frame.ts';
import css from './fields.module.css';

/** Check: 1 or 0. HTML has no read-only checkbox, so a read-only field is disabled. */
export function CheckControl(props: ControlProps) {
  const { value, onChange, onCommit, isReadOnly, isInCell, autoFocus } = props;
  const { isRequired: _, ...frame } = frameOf(props);
  return (
    <div className={isInCell ? css['checkCell'] : css['check']}>
      <Checkbox
        {...frame}
        isOn={Boolean(Number(value ?? 0))}
        disabled={isReadOnly}
        autoFocus={autoFocus}
        onChange={(isOn) => onChange(isOn ? 1 : 0)}
        onBlur={onCommit}
      />
    </div>
  );
}

import { t, tn } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { FieldFrame } from '../field-frame.tsx';
import { frameOf } from './control-frame.ts';
import css from './fields.module.css';

const STARS = [1, 2, 3, 4, 5];

/**
 * Rating: a fraction of 1, shown as five stars. The stars are radio buttons: arrow keys change the value, and
 * screen readers announce the position.
 */
export function RatingControl(props: ControlProps) {
  const { field, value, onChange, onCommit, isReadOnly, isInCell } = props;
  const { 'aria-label': name, ...frame } = frameOf(props);
  const stars = Math.round(Number(value ?? 0) * 5);
  return (
    <FieldFrame {...frame} label={frame.label}>
      {({ id, 'aria-describedby': describedBy }) => (
        <div
          aria-describedby={describedBy}
          id={id}
          role="radiogroup"
          aria-label={name ?? field.label}
          className={css['rating']}
          onBlur={isInCell ? onCommit : undefined}
        >
          {STARS.map((star) => (
            <label key={star} className={star <= stars ? css['starOn'] : css['star']}>
              <input
                type="radio"
                className="visually-hidden"
                name={id}
                checked={star === stars}
                disabled={isReadOnly}
                onChange={() => onChange(star / 5)}
              />
              <span className="visually-hidden">{tn(star, '{count} star', '{count} stars')}</span>
              <svg aria-hidden="true" viewBox="0 0 24 24" width="20" height="20">
                <path d="M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9L3.5 9.7l5.9-.8Z" />
              </svg>
            </label>
          ))}
          {!isReadOnly && stars > 0 && (
            <button type="button" className={css['plain']} onClick={() => onChange(0)}>
              {t('Clear')}
            </button>
          )}
        </div>
      )}
    </FieldFrame>
  );
}

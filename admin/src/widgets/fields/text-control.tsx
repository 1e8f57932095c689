import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { Icon } from '../icon.tsx';
import { TextInput } from '../inputs.tsx';
import { safeHref } from '../rich/rich-node.ts';
import { Textarea } from '../textarea.tsx';
import { frameOf, textOf } from './control-frame.ts';
import css from './fields.module.css';
import { placeholderOf } from './placeholder.ts';

/** The keyboard of a phone for one-line text. The server checks the formats. */
const TYPES: Readonly<Record<string, string>> = { Email: 'email', URL: 'url', Phone: 'tel' };

/** One-line text: Data with its formats, Phone, Barcode, Read Only, Icon. */
export function LineControl(props: ControlProps) {
  const { field, value, onChange, onCommit, isReadOnly, autoFocus } = props;
  const text = textOf(value);
  const format = field.fieldtype === 'Phone' ? 'Phone' : field.options;
  return (
    <TextInput
      {...frameOf(props)}
      // Not `type="email"` and the like: with these, browsers change the typed text.
      inputMode={TYPES[format] as 'email' | 'url' | 'tel' | undefined}
      value={text}
      maxLength={field.length > 0 ? field.length : undefined}
      placeholder={placeholderOf(props)}
      readOnly={isReadOnly}
      autoFocus={autoFocus}
      onChange={onChange}
      onBlur={onCommit}
      end={<FollowLink format={format} text={text} />}
    />
  );
}

function FollowLink({ format, text }: { readonly format: string; readonly text: string }) {
  const address = addressOf(format, text);
  if (address === undefined) return null;
  return (
    <a
      className={css['follow']}
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={t('Open {text}', { text })}
    >
      <Icon name="open" size={14} />
    </a>
  );
}

function addressOf(format: string, text: string): string | undefined {
  if (text === '') return undefined;
  if (format === 'URL') return safeHref(text);
  if (format === 'Email') return /^[^\s@,;]+@[^\s@,;]+$/.test(text) ? safeHref(`mailto:${text}`) : undefined;
  return format === 'Phone' ? safeHref(`tel:${text.replaceAll(/[^\d+]/g, '')}`) : undefined;
}

const ROWS: Readonly<Record<string, number>> = { 'Small Text': 3, Text: 5, 'Long Text': 8 };

/** Multi-line text: Small Text, Text, Long Text and similar fieldtypes. */
export function LinesControl(props: ControlProps) {
  const { field, value, onChange, onCommit, isReadOnly, isInCell, autoFocus } = props;
  return (
    <Textarea
      {...frameOf(props)}
      value={textOf(value)}
      rows={isInCell ? 2 : (ROWS[field.fieldtype] ?? 4)}
      placeholder={placeholderOf(props)}
      readOnly={isReadOnly}
      autoFocus={autoFocus}
      onChange={onChange}
      onBlur={onCommit}
    />
  );
}

import { t } from '../base/i18n.ts';
import { CopyButton } from './copy-button.tsx';
import css from './secret-line.module.css';

/**
 * A text for programs: one click selects it, the button copies it. Without a label, it is called the secret.
 */
export function SecretLine({ text, label }: { readonly text: string; readonly label?: string }) {
  return (
    <div className={label === undefined ? css['line'] : `${css['line']} ${css['labelled']}`}>
      {label !== undefined && <span className={css['label']}>{label}</span>}
      <code className={css['text']} dir="ltr">
        {text}
      </code>
      <CopyButton
        text={text}
        label={label === undefined ? t('Copy the secret') : t('Copy: {what}', { what: label })}
      />
    </div>
  );
}

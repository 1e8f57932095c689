import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import { Icon } from '../icon.tsx';
import { parseHtml } from '../rich/parse-html.ts';
import { parseMarkdown } from '../rich/parse-markdown.ts';
import { RichText } from '../rich/rich-text.tsx';
import { Textarea } from '../textarea.tsx';
import { frameOf, textOf } from './control-frame.ts';
import css from './fields.module.css';

/** Markdown Editor, HTML Editor and Text Editor: the source and its preview. */
export function RichControl(props: ControlProps) {
  const { field, value, onChange, onCommit, isReadOnly, isInCell, autoFocus } = props;
  const [isPreview, setPreview] = useState(isReadOnly && textOf(value) !== '');
  const text = textOf(value);
  const isMarkdown = field.fieldtype === 'Markdown Editor';
  const source = (
    <Textarea
      {...frameOf(props)}
      isCode={field.fieldtype === 'HTML Editor'}
      value={text}
      rows={isInCell ? 2 : 8}
      readOnly={isReadOnly}
      autoFocus={autoFocus}
      onChange={onChange}
      onBlur={onCommit}
    />
  );
  if (isInCell) return source;
  return (
    <div className={css['rich']}>
      {isPreview ? (
        <section aria-label={t('Preview of {field}', { field: labelOf(field) })}>
          <div className={css['previewLabel']}>{labelOf(field)}</div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be scrollable by
              keyboard */}
          <div className={css['preview']} tabIndex={0}>
            <RichText nodes={isMarkdown ? parseMarkdown(text) : parseHtml(text)} />
          </div>
        </section>
      ) : (
        source
      )}
      <button
        type="button"
        className={css['richSwitch']}
        aria-pressed={isPreview}
        aria-label={t('Preview of {field}', { field: labelOf(field) })}
        onClick={() => setPreview(!isPreview)}
      >
        <Icon name="eye" size={14} />
        {t('Preview')}
      </button>
    </div>
  );
}

import { t } from '../../../base/i18n.ts';
import type { TableProps } from '../../../form/table-slot.ts';
import { labelOf } from '../../../meta/standard-fields.ts';
import { Button } from '../../../widgets/button.tsx';
import { EmptyState } from '../../../widgets/empty-state.tsx';
import { Alert } from '../../../widgets/feedback.tsx';
import { Muted, Row } from '../../../widgets/layout.tsx';
import { Select } from '../../../widgets/select.tsx';
import css from './format-editor.module.css';
import { FormatPart } from './format-part.tsx';
import { FormatPreview } from './format-preview.tsx';
import { type FormatParts, useFormatParts } from './use-format-parts.ts';

/** The parts of a Print Format in the order of the page, and the page beside them. */
export function FormatEditor({ field, isReadOnly, error }: TableProps) {
  const format = useFormatParts(field.fieldname);
  if (format.doctype === '') return <Muted>{t('Choose a document type first.')}</Muted>;
  return (
    <div className={css['editor']}>
      <div className={css['side']}>
        <div className={css['label']} aria-hidden="true">
          {t('Parts of the page')}
        </div>
        {error && <Alert tone="danger">{error}</Alert>}
        {format.keys.length === 0 ? (
          <Nothing format={format} isReadOnly={isReadOnly} />
        ) : (
          <ul className={css['parts']} aria-label={t('Parts of the page')}>
            {format.keys.map((key, at) => (
              <FormatPart key={key} format={format} at={at} isReadOnly={isReadOnly} />
            ))}
          </ul>
        )}
        {!isReadOnly && <Adding format={format} />}
      </div>
      <FormatPreview doctype={format.doctype} />
    </div>
  );
}

function Nothing({ format, isReadOnly }: { readonly format: FormatParts; readonly isReadOnly: boolean }) {
  return (
    <EmptyState
      icon="print"
      title={t('No parts yet')}
      action={
        !isReadOnly && (
          <Button icon="lines" onClick={format.fill}>
            {t('Start with the form')}
          </Button>
        )
      }
    >
      {t('Start with the sections and fields of the form, or add your own.')}
    </EmptyState>
  );
}

function Adding({ format: { fields, add } }: { readonly format: FormatParts }) {
  return (
    <Row>
      <Select
        aria-label={t('Add a field to the page')}
        placeholder={t('Add a field to the page')}
        isSearchable
        openOnFocus={false}
        value={null}
        onChange={(next) => next && add({ type: 'Field', fieldname: next })}
        choices={fields.map((one) => ({ value: one.fieldname, label: labelOf(one) }))}
      />
      <Button icon="section" kind="quiet" onClick={() => add({ type: 'Section' })}>
        {t('Add a section')}
      </Button>
      <Button icon="columns" kind="quiet" onClick={() => add({ type: 'Column' })}>
        {t('Add a column')}
      </Button>
      <Button icon="text" kind="quiet" onClick={() => add({ type: 'Text' })}>
        {t('Add a text')}
      </Button>
    </Row>
  );
}

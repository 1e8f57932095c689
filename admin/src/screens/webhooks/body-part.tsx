import { t } from '../../base/i18n.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted } from '../../widgets/layout.tsx';
import { SegmentedControl } from '../../widgets/segmented-control.tsx';
import { Select } from '../../widgets/select.tsx';
import { useSentFields } from './doctype-fields.ts';
import { useEdited } from './editor-context.ts';
import { CheckPart, CodePart, Part } from './editor-parts.tsx';
import css from './webhooks.module.css';

const TEMPLATE = `{
  "text": "{{ doc.name }}",
  "was": {{ previous.status }}
}`;

/** The body of the request. */
export function BodyPart() {
  const { value, onChange } = useEdited('payload');
  return (
    <Part title={t('Payload')}>
      <SegmentedControl
        label={t('Body')}
        value={value}
        onChange={onChange}
        choices={[
          { value: 'document', label: t('Whole document') },
          { value: 'fields', label: t('Some fields') },
          { value: 'template', label: t('Template') },
        ]}
      />
      {value === 'document' && <Muted isSmall>{t('All fields and child tables except passwords.')}</Muted>}
      {value === 'fields' && <Fields />}
      {value === 'template' && (
        <CodePart
          name="webhook_json"
          label={t('JSON template')}
          rows={8}
          placeholder={TEMPLATE}
          description={t('Values are escaped automatically and cannot break the JSON')}
        />
      )}
      {value !== 'template' && (
        <>
          <CheckPart
            name="include_previous"
            label={t('Include previous values')}
            description={t('Adds __previous with the former values of changed fields')}
          />
          <CheckPart name="isForm" label={t('Send a URL-encoded form instead of JSON')} />
        </>
      )}
    </Part>
  );
}

function Fields() {
  const doctype = useEdited('webhook_doctype').value;
  const { value: rows, onChange, error } = useEdited('fields');
  const fields = useSentFields(doctype);
  const move = (at: number, by: number) => {
    const next = [...rows];
    const [row] = next.splice(at, 1);
    if (row) next.splice(at + by, 0, row);
    onChange(next);
  };
  return (
    <fieldset className={css['rows']}>
      <legend>{t('Fields')}</legend>
      {rows.map((row, at) => (
        <div key={row.fieldname} className={css['row']}>
          <code className={css['fieldname']}>{row.fieldname}</code>
          <TextInput
            aria-label={t('Key of {field}', { field: row.fieldname })}
            placeholder={row.fieldname}
            value={row.key}
            spellCheck={false}
            dir="ltr"
            onChange={(key) => onChange(rows.map((one) => (one === row ? { ...one, key } : one)))}
          />
          <span className={css['tools']}>
            <IconButton
              icon="up"
              isSmall
              disabled={at === 0}
              label={t('Move {field} up', { field: row.fieldname })}
              onClick={() => move(at, -1)}
            />
            <IconButton
              icon="down"
              isSmall
              disabled={at === rows.length - 1}
              label={t('Move {field} down', { field: row.fieldname })}
              onClick={() => move(at, 1)}
            />
            <IconButton
              icon="trash"
              isSmall
              label={t('Remove {field}', { field: row.fieldname })}
              onClick={() => onChange(rows.filter((one) => one !== row))}
            />
          </span>
        </div>
      ))}
      {error && <span className={css['error']}>{error}</span>}
      <Select
        aria-label={t('Add a field')}
        placeholder={t('Add a field…')}
        value={null}
        isSearchable
        disabled={doctype === ''}
        onChange={(fieldname) => fieldname && onChange([...rows, { fieldname, key: '' }])}
        choices={fields.filter(({ value }) => !rows.some(({ fieldname }) => fieldname === value))}
      />
      {rows.length === 0 && (
        <span>
          <Muted isSmall>{t('Leave empty to send the whole document.')}</Muted>
        </span>
      )}
      {rows.length > 1 && (
        <span>
          <Button kind="quiet" onClick={() => onChange([])}>
            {t('Remove all')}
          </Button>
        </span>
      )}
    </fieldset>
  );
}

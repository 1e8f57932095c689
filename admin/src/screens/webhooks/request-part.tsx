import { t } from '../../base/i18n.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { useEdited } from './editor-context.ts';
import { CheckPart, Part, TextPart } from './editor-parts.tsx';
import css from './webhooks.module.css';

/** URL and headers of the request. */
export function RequestPart() {
  const method = useEdited('request_method');
  return (
    <Part title={t('Where')}>
      <div className={css['address']}>
        <Select
          label={t('Method')}
          value={method.value}
          onChange={(next) => method.onChange(next ?? 'POST')}
          choices={['POST', 'PUT', 'PATCH', 'DELETE']}
        />
        <TextPart
          name="request_url"
          label={t('URL')}
          isRequired
          isCode
          placeholder="https://example.com/hooks/tickets"
        />
      </div>
      <CheckPart
        name="is_dynamic_url"
        label={t('The URL is a template')}
        description={t('{example} inserts the document’s name', { example: '{{ doc.name }}' })}
      />
      <Headers />
    </Part>
  );
}

/** The server masks possible credentials with asterisks. */
const MASK = /^\*+$/;

function Headers() {
  const { value: rows, onChange, error } = useEdited('headers');
  const change = (id: number, part: { readonly key?: string; readonly value?: string }) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const add = () =>
    onChange([...rows, { id: Math.max(-1, ...rows.map(({ id }) => id)) + 1, key: '', value: '' }]);
  return (
    <fieldset className={css['rows']}>
      <legend>{t('Headers')}</legend>
      {rows.map((row, at) => (
        <div key={row.id} className={css['row']}>
          <TextInput
            aria-label={t('Name of header {number}', { number: at + 1 })}
            placeholder="X-Header"
            value={row.key}
            spellCheck={false}
            autoComplete="off"
            dir="ltr"
            onChange={(key) => change(row.id, { key })}
          />
          <TextInput
            aria-label={t('Value of header {number}', { number: at + 1 })}
            placeholder={t('Value')}
            value={row.value}
            spellCheck={false}
            autoComplete="off"
            dir="ltr"
            onFocus={(event) => MASK.test(row.value) && event.currentTarget.select()}
            onChange={(value) => change(row.id, { value })}
          />
          <IconButton
            icon="trash"
            label={t('Remove header {number}', { number: at + 1 })}
            onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
          />
        </div>
      ))}
      {error && <span className={css['error']}>{error}</span>}
      {rows.some(({ value }) => MASK.test(value)) && (
        <Muted isSmall>
          {t('Possible credentials are stored encrypted; leave the asterisks to keep a value.')}
        </Muted>
      )}
      <span>
        <Button icon="plus" onClick={add}>
          {t('Add header')}
        </Button>
      </span>
    </fieldset>
  );
}

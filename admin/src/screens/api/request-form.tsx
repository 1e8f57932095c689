import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { Stack } from '../../widgets/layout.tsx';
import { Textarea } from '../../widgets/textarea.tsx';
import css from './api.module.css';
import { Described } from './described.tsx';
import type { Parameter } from './openapi.ts';
import type { ApiOperation } from './operations.ts';
import { ParameterInput } from './parameter-input.tsx';
import { SendPart } from './send-part.tsx';
import type { CallForm } from './use-call.ts';

/** Parameters that a first call needs; the others are folded away. */
const USUAL: ReadonlySet<string> = new Set([
  'name',
  'fields',
  'filters',
  'order_by',
  'limit_page_length',
  'run_method',
]);

interface RequestFormProps {
  readonly operation: ApiOperation;
  readonly doctype: string;
  readonly form: CallForm;
}

/** The parameters and the body of an operation, and the button that sends it. */
export function RequestForm({ operation, doctype, form }: RequestFormProps) {
  const [isOpen, setOpen] = useState(false);
  const shown = operation.parameters.filter(({ in: where }) => where !== 'header');
  const headers = operation.parameters.filter(({ in: where }) => where === 'header');
  const first = shown.filter(
    ({ name, required }) => required || USUAL.has(name) || shown.length <= USUAL.size,
  );
  const others = shown.filter((one) => !first.includes(one));
  const input = (parameter: Parameter) => (
    <ParameterInput
      key={parameter.name}
      parameter={parameter}
      doctype={doctype}
      value={form.parameters[parameter.name] ?? ''}
      onChange={(value) => form.setParameter(parameter.name, value)}
    />
  );
  return (
    <Stack gap={3}>
      {first.map(input)}
      {isOpen && others.map(input)}
      {others.length > 0 && (
        <span>
          <Button kind="quiet" icon={isOpen ? 'up' : 'down'} onClick={() => setOpen(!isOpen)}>
            {isOpen ? t('Fewer parameters') : t('All parameters ({count})', { count: shown.length })}
          </Button>
        </span>
      )}
      {operation.body && (
        <Textarea
          label={t('Body (JSON)')}
          isCode
          rows={Math.min(16, Math.max(4, form.body.split('\n').length))}
          dir="ltr"
          value={form.body}
          onChange={form.setBody}
        />
      )}
      {headers.length > 0 && <Headers headers={headers} />}
      <SendPart operation={operation} form={form} />
    </Stack>
  );
}

function Headers({ headers }: { readonly headers: readonly Parameter[] }) {
  return (
    <details className={css['details']}>
      <summary>{t('Optional headers')}</summary>
      <dl>
        {headers.map(({ name, description }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{description && <Described text={description} />}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

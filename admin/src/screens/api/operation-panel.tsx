import { t } from '../../base/i18n.ts';
import { Card, Muted, Stack } from '../../widgets/layout.tsx';
import css from './api.module.css';
import { CodePart } from './code-part.tsx';
import { Described } from './described.tsx';
import type { ApiOperation } from './operations.ts';
import { ReplyPart } from './reply-part.tsx';
import { RequestForm } from './request-form.tsx';
import { useCall } from './use-call.ts';

interface OperationPanelProps {
  readonly operation: ApiOperation;
  /** The doctype of `{name}`, for a search; '' for none. */
  readonly doctype: string;
  readonly first: { readonly parameters: Readonly<Record<string, string>>; readonly body: string };
}

/** One operation: its parameters, the request as code, and the reply of a trial. */
export function OperationPanel({ operation, doctype, first }: OperationPanelProps) {
  const form = useCall(operation, first);
  return (
    <div className={css['panel']}>
      <Card label={t('Request')}>
        <Stack>
          <div className={css['line']}>
            <span className={css['verb']} data-verb={operation.verb}>
              {operation.verb}
            </span>
            <code dir="ltr">{operation.path}</code>
          </div>
          {operation.description !== '' && (
            <Muted>
              <Described text={operation.description} />
            </Muted>
          )}
          <RequestForm operation={operation} doctype={doctype} form={form} />
        </Stack>
      </Card>
      <Stack>
        <CodePart call={form.call} />
        <ReplyPart form={form} />
      </Stack>
    </div>
  );
}

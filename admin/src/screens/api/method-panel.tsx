import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Muted, Stack } from '../../widgets/layout.tsx';
import { SegmentedControl } from '../../widgets/segmented-control.tsx';
import { Described } from './described.tsx';
import { firstBody } from './doctype-calls.ts';
import { waysToCall } from './methods.ts';
import type { OpenApi } from './openapi.ts';
import { OperationPanel } from './operation-panel.tsx';

/** One method, called by the verb of choice. */
export function MethodPanel({ doc, method }: { readonly doc: OpenApi; readonly method: string }) {
  const ways = waysToCall(doc, method);
  const [verb, setVerb] = useState('');
  const operation = ways.find((one) => one.verb === verb) ?? ways[0];
  if (!operation)
    return (
      <EmptyState icon="lock" title={t('Not found, or not permitted')}>
        {t('Your roles do not allow this call. Ask a System Manager.')}
      </EmptyState>
    );
  return (
    <Stack>
      {operation.summary !== '' && (
        <Muted>
          <Described text={operation.summary} />
        </Muted>
      )}
      {ways.length > 1 && (
        <span>
          <SegmentedControl
            label={t('HTTP method')}
            value={operation.verb}
            onChange={setVerb}
            choices={ways.map((one) => ({ value: one.verb, label: one.verb }))}
          />
        </span>
      )}
      <OperationPanel
        key={operation.verb}
        operation={operation}
        doctype=""
        first={{ parameters: {}, body: firstBody(doc, operation) }}
      />
    </Stack>
  );
}

import { useState } from 'react';
import type { ApiCall } from '../../base/api-call.ts';
import { t } from '../../base/i18n.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Card, Muted, Row, Stack } from '../../widgets/layout.tsx';
import { SegmentedControl } from '../../widgets/segmented-control.tsx';
import { CodeBlock } from './code-block.tsx';
import { type CodeLanguage, LANGUAGES, sampleOf } from './code-samples.ts';

/** The request as a program, in the language of choice. */
export function CodePart({ call }: { readonly call: ApiCall }) {
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  const code = sampleOf(language, location.origin, call);
  return (
    <Card>
      <Stack gap={3}>
        <Row isApart>
          <SegmentedControl
            label={t('Language')}
            value={language}
            onChange={setLanguage}
            choices={Object.entries(LANGUAGES).map(([value, label]) => ({
              value: value as CodeLanguage,
              label,
            }))}
          />
          <CopyButton text={code} label={t('Copy code')} />
        </Row>
        <CodeBlock label={t('Code')} text={code} />
        <Muted isSmall>{t('Replace the placeholder with a key and its secret.')}</Muted>
      </Stack>
    </Card>
  );
}

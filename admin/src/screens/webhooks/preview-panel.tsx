import { useState, useSyncExternalStore } from 'react';
import { t } from '../../base/i18n.ts';
import type { Preview } from '../../data/webhooks.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { DocumentPicker } from '../../widgets/document-picker.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Badge, Spinner } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { SegmentedControl } from '../../widgets/segmented-control.tsx';
import { HeaderTable } from '../deliveries/header-table.tsx';
import { isMissing, useEdited, useEditor } from './editor-context.ts';
import { SNIPPETS, type SnippetName, snippetOf } from './snippets.ts';
import { TestSend } from './test-send.tsx';
import { usePreview } from './use-preview.ts';
import type { Draft } from './webhook-draft.ts';
import css from './webhooks.module.css';

type View = 'body' | 'headers' | 'curl' | 'verify';

/** Preview of the request for a chosen document during editing, and a test delivery. */
export function PreviewPanel({
  webhook,
  stored,
  isDirty,
}: {
  readonly webhook: string | null;
  readonly stored: Draft | null;
  readonly isDirty: boolean;
}) {
  const editor = useEditor();
  const doctype = useEdited('webhook_doctype').value;
  const [document, setDocument] = useState('');
  const { error, isPending, data } = usePreview(editor, webhook, stored, document);
  const shown = useSyncExternalStore(editor.preview.subscribe, editor.preview.get);
  const problems = data?.problems.filter((one) => !isMissing(one)) ?? [];
  const isMissingSomething = (data?.problems.length ?? 0) > problems.length;
  return (
    <aside className={css['preview']} aria-label={t('Preview')}>
      <Row isApart>
        <h2>{t('Preview')}</h2>
        {isPending && doctype !== '' && <Spinner />}
      </Row>
      <DocumentPicker
        doctype={doctype}
        label={t('Document')}
        placeholder={shown?.document ?? t('Most recently changed')}
        value={document}
        onChange={setDocument}
      />
      {error && <ErrorPanel error={error} />}
      {problems.length > 0 && (
        <ul className={css['problems']}>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {!shown && !error && (
        <Muted>
          {doctype === '' || isMissingSomething
            ? t('Choose a doctype, an event and a URL to preview the request.')
            : ''}
        </Muted>
      )}
      {shown && !error && <Request preview={shown} isStale={problems.length > 0} />}
      {webhook !== null && (
        <TestSend webhook={webhook} document={document || (shown?.document ?? '')} isDirty={isDirty} />
      )}
    </aside>
  );
}

function Request({ preview, isStale }: { readonly preview: Preview; readonly isStale: boolean }) {
  const [view, setView] = useState<View>('body');
  return (
    <div className={css['request']} data-stale={isStale || undefined}>
      <Stack gap={3}>
        <code className={css['line']}>
          {preview.method} {preview.url}
        </code>
        <Row>
          {/* An invalid draft says nothing about the document. */}
          {!isStale && (
            <Badge tone={preview.meets_condition ? 'success' : 'neutral'}>
              {preview.meets_condition ? t('Sends for this document') : t('Does not send for this document')}
            </Badge>
          )}
          {preview.example_secret !== null && <Badge>{t('Signed with an example secret')}</Badge>}
        </Row>
        {preview.error !== null && <span className={css['error']}>{preview.error}</span>}
        <SegmentedControl
          label={t('Part of the request')}
          value={view}
          onChange={setView}
          choices={[
            { value: 'body', label: t('Body') },
            { value: 'headers', label: t('Headers') },
            { value: 'curl', label: 'curl' },
            { value: 'verify', label: t('Verify') },
          ]}
        />
        {view === 'body' && <Code text={laidOut(preview.body)} copied={preview.body} />}
        {view === 'headers' && <HeaderTable headers={preview.headers} label={t('Headers of the request')} />}
        {view === 'curl' && <Code text={preview.curl} />}
        {view === 'verify' && <Verify secret={preview.example_secret} />}
      </Stack>
    </div>
  );
}

function Verify({ secret }: { readonly secret: string | null }) {
  const [name, setName] = useState<SnippetName>('node');
  return (
    <Stack gap={2}>
      <SegmentedControl
        label={t('Language')}
        value={name}
        onChange={setName}
        choices={Object.entries(SNIPPETS).map(([value, label]) => ({ value: value as SnippetName, label }))}
      />
      <Code text={snippetOf(name)} isWide />
      {secret !== null && (
        <Muted isSmall>
          {t('Until you save, the preview uses this secret:')} <code dir="ltr">{secret}</code>
        </Muted>
      )}
    </Stack>
  );
}

function Code({
  text,
  copied = text,
  isWide,
}: {
  readonly text: string;
  readonly copied?: string;
  /** Long lines scroll instead of wrapping. */
  readonly isWide?: boolean;
}) {
  return (
    <div className={css['codeBox']}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be scrollable by
          keyboard */}
      <pre className={isWide ? `${css['code']} ${css['wide']}` : css['code']} tabIndex={0}>
        {text}
      </pre>
      <span className={css['codeCopy']}>
        <CopyButton text={copied} />
      </span>
    </div>
  );
}

function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

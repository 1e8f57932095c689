import { useRef, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { Button } from '../../widgets/button.tsx';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { Textarea } from '../../widgets/textarea.tsx';
import { appFileOf, definitionIn, fileNameOf } from './app-file.ts';
import css from './designer.module.css';
import { useDesign, useDesigned } from './designer-context.ts';
import { type Draft, draftOf, textOf } from './draft.ts';

/** The definition as a file: to read, change, copy, download and import. */
export function JsonTab() {
  const store = useDesign();
  const draft = useDesigned((state) => state.draft);
  const [typed, setTyped] = useState<string | null>(null);
  const [problem, setProblem] = useState('');
  const file = useRef<HTMLInputElement>(null);
  const text = `${JSON.stringify(appFileOf(draft), null, 2)}\n`;
  const take = (source: string) => {
    try {
      const definition = definitionIn(source);
      store.change((before) => imported(before, definition, store.design !== null));
      setTyped(null);
      setProblem('');
      toast('success', t('The definition is taken over. Nothing is saved yet.'));
    } catch (error) {
      setProblem(
        error instanceof Error && error.message === 'no JSON'
          ? t('This is not JSON.')
          : t('This is no doctype: it has no list of fields.'),
      );
    }
  };
  const name = textOf(draft.properties, 'name');
  return (
    <div className={css['wide']}>
      <Stack>
        <Row gap={2}>
          <Button icon="download" onClick={() => download(fileNameOf(name), text)}>
            {t('Download app file')}
          </Button>
          <CopyButton text={text}>{t('Copy JSON')}</CopyButton>
          <Button icon="upload" onClick={() => file.current?.click()}>
            {t('Import file…')}
          </Button>
          <input
            ref={file}
            type="file"
            accept=".json,application/json"
            className="visually-hidden"
            aria-label={t('File with a doctype')}
            tabIndex={-1}
            onChange={async (event) => {
              const [chosen] = event.currentTarget.files ?? [];
              event.currentTarget.value = '';
              if (chosen) take(await chosen.text());
            }}
          />
        </Row>
        <Muted isSmall>
          {t(
            'The file belongs into the folder doctypes of an app. DocType files of Frappe can be imported as they are.',
          )}
        </Muted>
        {problem !== '' && <Alert tone="danger">{problem}</Alert>}
        <Textarea
          isCode
          label={t('Definition')}
          rows={24}
          dir="ltr"
          value={typed ?? text}
          onChange={setTyped}
        />
        {typed !== null && typed !== text && (
          <Row gap={2}>
            <Button kind="primary" onClick={() => take(typed)}>
              {t('Take over')}
            </Button>
            <Button onClick={() => setTyped(null)}>{t('Discard')}</Button>
          </Row>
        )}
      </Stack>
    </div>
  );
}

// A stored doctype keeps its name and its kind, and its fields are known by their names.
function imported(before: Draft, definition: Readonly<Record<string, unknown>>, isStored: boolean): Draft {
  const next = draftOf(definition, false);
  if (!isStored) return { ...next, properties: { module: 'Custom', ...next.properties } };
  const known = new Map(before.fields.map((field) => [textOf(field.values, 'fieldname'), field]));
  const fields = next.fields.map((field) => {
    const old = known.get(textOf(field.values, 'fieldname'));
    if (!old) return field;
    const mark = old.values['is_custom_field'] === undefined ? {} : { is_custom_field: 1 };
    return { ...old, values: { ...field.values, ...mark } };
  });
  const { name, module, istable, issingle, custom } = before.properties;
  const fixed = Object.fromEntries(
    Object.entries({ name, module, istable, issingle, custom }).filter(([, value]) => value !== undefined),
  );
  const { istable: _table, issingle: _single, ...properties } = next.properties;
  return { ...before, properties: { ...properties, ...fixed }, fields, permissions: next.permissions };
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

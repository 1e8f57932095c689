import { useRef } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useDirty } from '../../form/form-context.ts';
import type { RecordModel } from '../../form/record.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { DialogFooter, Modal } from '../../widgets/dialogs.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { type Choice, Select } from '../../widgets/select.tsx';
import css from './record.module.css';
import { NONE, namedHead, STANDARD, USUAL, usePrintOptions } from './use-print-options.ts';

interface PrintDialogProps {
  readonly model: RecordModel;
  readonly docname: string;
  readonly onClose: () => void;
}

/** The stored document as its printed page, with the choice of format and letter head. */
export function PrintDialog({ model, docname, onClose }: PrintDialogProps) {
  const options = usePrintOptions(model, docname);
  const isDirty = useDirty(model.store);
  const frame = useRef<HTMLIFrameElement>(null);
  return (
    <Modal isOpen onClose={onClose} title={t('Print {name}', { name: docname })} width={900}>
      <Stack>
        <PrintChoices {...options} />
        {isDirty && <Muted>{t('Unsaved changes are not printed.')}</Muted>}
        <iframe
          ref={frame}
          key={options.url}
          className={css['paper']}
          src={options.url}
          title={t('Preview')}
        />
        <DialogFooter>
          <Row gap={4}>
            <a href={options.url} target="_blank" rel="noreferrer">
              {t('Open in a new tab')}
            </a>
            <FormatLink doctype={model.doctype} format={options.format} />
          </Row>
          <Button kind="primary" onClick={() => frame.current?.contentWindow?.print()}>
            {t('Print')}
          </Button>
        </DialogFooter>
      </Stack>
    </Modal>
  );
}

/** A link to the chosen format, or to a new one, for users who may change formats. */
function FormatLink({ doctype, format }: { readonly doctype: string; readonly format: string | null }) {
  const isStandard = format === null || format === STANDARD;
  if (!may('Print Format', isStandard ? 'create' : 'write')) return null;
  return isStandard ? (
    <PathLink to={paths.newRecord('Print Format', { doc_type: doctype })}>{t('New format')}</PathLink>
  ) : (
    <PathLink to={paths.record('Print Format', format)}>{t('Edit format')}</PathLink>
  );
}

function PrintChoices({
  formats,
  heads,
  format,
  head,
  setFormat,
  setHead,
}: ReturnType<typeof usePrintOptions>) {
  if (formats.length === 0 && heads.length === 0) return null;
  const usual: readonly Choice[] = [
    { value: USUAL, label: t('Default letter head') },
    { value: NONE, label: t('No letter head') },
  ];
  const named = heads.map((name) => ({ value: namedHead(name), label: name }));
  return (
    <Row gap={3}>
      {formats.length > 0 && (
        <Select
          label={t('Format')}
          value={format}
          onChange={setFormat}
          choices={[
            { value: STANDARD, label: t('Standard') },
            ...formats.filter((name) => name !== STANDARD),
          ]}
        />
      )}
      {heads.length > 0 && (
        <Select
          label={t('Letter head')}
          value={head}
          onChange={(next) => setHead(next ?? USUAL)}
          choices={[...usual, ...named]}
        />
      )}
    </Row>
  );
}

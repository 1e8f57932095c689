import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useSearch } from '../../base/navigation.tsx';
import { useTask } from '../../base/use-task.ts';
import { useBoot } from '../../data/boot.ts';
import { Button } from '../../widgets/button.tsx';
import { Checkbox } from '../../widgets/checks.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { DocumentPicker } from '../../widgets/document-picker.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { DoctypePicker } from './doctype-picker.tsx';
import { readPermissionsSearch } from './permissions-search.ts';
import { addShare, type Share } from './restriction-data.ts';

type NewShare = Omit<Share, 'name'>;

/** Opens a document to a user. */
export function NewShareDialog({ onClose }: { readonly onClose: () => void }) {
  const { user, doctype } = useSearch(readPermissionsSearch);
  const [forEverybody, setForEverybody] = useState(false);
  const [made, setMade] = useState<NewShare>({
    user,
    doctype,
    docname: '',
    canWrite: false,
    canSubmit: false,
    canShare: false,
  });
  const task = useTask();
  const set = (changes: Partial<NewShare>) => setMade((before) => ({ ...before, ...changes }));
  const save = () =>
    task.run(async () => {
      await addShare({ ...made, user: forEverybody ? '' : made.user });
      onClose();
    });
  const isWhole = made.docname !== '' && (forEverybody || made.user !== '');
  return (
    <Modal isOpen onClose={onClose} title={t('Share a record')} isSticky={task.isBusy}>
      <Stack>
        <Checkbox
          label={t('With everyone who is signed in')}
          isOn={forEverybody}
          onChange={setForEverybody}
        />
        {!forEverybody && (
          <DocumentPicker
            doctype="User"
            label={t('User')}
            isRequired
            placeholder={t('Choose a user')}
            value={made.user}
            onChange={(next) => set({ user: next })}
          />
        )}
        <DoctypePicker
          label={t('Doctype')}
          placeholder={t('Choose a doctype')}
          isRequired
          value={made.doctype}
          onChange={(next) => set({ doctype: next, docname: '' })}
          isFit={({ issingle, is_virtual, name }) => !issingle && !is_virtual && name !== 'DocShare'}
        />
        <DocumentPicker
          key={made.doctype}
          doctype={made.doctype}
          label={t('Record')}
          isRequired
          placeholder={made.doctype === '' ? undefined : t('Choose a record')}
          value={made.docname}
          onChange={(docname) => set({ docname })}
        />
        <Rights made={made} set={set} />
        {task.error !== null && <ErrorPanel error={task.error} />}
        <Row isApart>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" isBusy={task.isBusy} disabled={!isWhole} onClick={save}>
            {t('Share a record')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

function Rights({
  made,
  set,
}: {
  readonly made: NewShare;
  readonly set: (changes: Partial<NewShare>) => void;
}) {
  const { doctypes } = useBoot();
  return (
    <Row gap={4}>
      <Checkbox label={t('Read')} isOn disabled onChange={() => {}} />
      <Checkbox label={t('Write')} isOn={made.canWrite} onChange={(canWrite) => set({ canWrite })} />
      {doctypes.get(made.doctype)?.is_submittable && (
        <Checkbox label={t('Submit')} isOn={made.canSubmit} onChange={(canSubmit) => set({ canSubmit })} />
      )}
      <Checkbox
        label={t('Share with others')}
        isOn={made.canShare}
        onChange={(canShare) => set({ canShare })}
      />
    </Row>
  );
}

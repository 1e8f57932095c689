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
import { addUserPermission, type NewUserPermission } from './restriction-data.ts';

/** Limits a user to a document. */
export function NewUserPermissionDialog({ onClose }: { readonly onClose: () => void }) {
  const { user, doctype } = useSearch(readPermissionsSearch);
  const [made, setMade] = useState<NewUserPermission>({
    user,
    allow: doctype,
    forValue: '',
    isDefault: false,
    applicableFor: '',
    hidesDescendants: false,
  });
  const task = useTask();
  const set = (changes: Partial<NewUserPermission>) => setMade((before) => ({ ...before, ...changes }));
  const save = () =>
    task.run(async () => {
      await addUserPermission(made);
      onClose();
    });
  const isWhole = made.user !== '' && made.allow !== '' && made.forValue !== '';
  return (
    <Modal isOpen onClose={onClose} title={t('Restrict a user')} isSticky={task.isBusy}>
      <Stack>
        <Where made={made} set={set} />
        <Reach made={made} set={set} />
        {task.error !== null && <ErrorPanel error={task.error} />}
        <Row isApart>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" isBusy={task.isBusy} disabled={!isWhole} onClick={save}>
            {t('Restrict')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

interface PartProps {
  readonly made: NewUserPermission;
  readonly set: (changes: Partial<NewUserPermission>) => void;
}

function Where({ made, set }: PartProps) {
  return (
    <>
      <DocumentPicker
        doctype="User"
        label={t('User')}
        isRequired
        placeholder={t('Choose a user')}
        value={made.user}
        onChange={(user) => set({ user })}
      />
      <DoctypePicker
        label={t('Sees only records of')}
        placeholder={t('Choose a doctype')}
        isRequired
        value={made.allow}
        onChange={(allow) => set({ allow, forValue: '' })}
        isFit={({ issingle }) => !issingle}
      />
      <DocumentPicker
        key={made.allow}
        doctype={made.allow}
        label={t('Record')}
        isRequired
        placeholder={made.allow === '' ? undefined : t('Choose a record')}
        value={made.forValue}
        onChange={(forValue) => set({ forValue })}
      />
    </>
  );
}

function Reach({ made, set }: PartProps) {
  const { doctypes } = useBoot();
  return (
    <>
      <DoctypePicker
        label={t('Applies to')}
        placeholder={t('All doctypes that link to it')}
        isClearable
        value={made.applicableFor}
        onChange={(applicableFor) => set({ applicableFor })}
      />
      {doctypes.get(made.allow)?.is_tree && (
        <Checkbox
          label={t('Without the records below it')}
          isOn={made.hidesDescendants}
          onChange={(hidesDescendants) => set({ hidesDescendants })}
        />
      )}
      <Checkbox
        label={t('New records start with it')}
        isOn={made.isDefault}
        onChange={(isDefault) => set({ isDefault })}
      />
    </>
  );
}

import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { Checkbox } from '../../widgets/checks.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import type { PermittedDoctype } from './permission-data.ts';
import { usersText } from './right-words.ts';
import type { Matrix } from './use-permissions.ts';

const MOST_LEVEL = 9;

interface AddRoleProps {
  readonly matrix: Matrix;
  readonly doctype: PermittedDoctype;
  readonly onClose: () => void;
}

/** Adds a row with the right to read for a role. */
export function AddRole({ matrix, doctype, onClose }: AddRoleProps) {
  const [role, setRole] = useState('');
  const [level, setLevel] = useState('0');
  const [ifOwner, setIfOwner] = useState(false);
  const place = { doctype: doctype.name, role, permlevel: Number(level), ifOwner: ifOwner && level === '0' };
  const isThere = role !== '' && matrix.rightsOf(place).size > 0;
  const add = () => {
    matrix.set(place, 'read', true);
    onClose();
  };
  return (
    <Modal isOpen onClose={onClose} title={t('Add a role to {doctype}', { doctype: t(doctype.name) })}>
      <Stack>
        <Select
          label={t('Role')}
          isRequired
          value={role || null}
          onChange={(next) => setRole(next ?? '')}
          placeholder={t('Choose a role')}
          isSearchable
          choices={matrix.roles
            .filter(({ isDisabled, name }) => !isDisabled && name !== 'Administrator')
            .map(({ name, users }) => ({ value: name, label: `${t(name)} · ${usersText(users)}` }))}
        />
        <Select
          label={t('Level')}
          description={t('Level 0 is the record. Higher levels open fields that are set to them.')}
          value={level}
          onChange={(next) => setLevel(next ?? '0')}
          choices={levelChoices(doctype)}
        />
        <Checkbox
          label={t('Only records that the user created')}
          isOn={place.ifOwner}
          disabled={level !== '0'}
          onChange={setIfOwner}
        />
        {isThere && <Alert>{t('The role has these rights already. Change them in the matrix.')}</Alert>}
        <Row isApart>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" disabled={role === '' || isThere} onClick={add}>
            {t('Add role')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

function levelChoices({ levels }: PermittedDoctype) {
  return Array.from({ length: MOST_LEVEL + 1 }, (_, level) => {
    const fields = levels.find(({ permlevel }) => permlevel === level)?.fields ?? [];
    const what = level === 0 ? t('the record') : fields.map((one) => t(one)).join(', ');
    return { value: String(level), label: what === '' ? String(level) : `${level} · ${what}` };
  });
}

import { type FormEvent, useId, useState } from 'react';
import { currentCustoms } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { timestampOf } from '../../base/time-zone.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { useBoot } from '../../data/boot.ts';
import { Button } from '../../widgets/button.tsx';
import { Switch } from '../../widgets/checks.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { DateInput, problemOfDate } from '../../widgets/fields/date-control.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { MultiSelect, WordsInput } from '../../widgets/token-inputs.tsx';
import { type ApiKey, changeKey, createKey, type KeyDraft, type NewSecret } from './key-data.ts';
import { dayAfter, dayOf, endOfDay } from './key-state.ts';

interface KeyFormProps {
  readonly user: string;
  /** The key to edit; null for a new one. */
  readonly of: ApiKey | null;
  readonly onClose: () => void;
  readonly onMade: (secret: NewSecret) => void;
}

const EMPTY: KeyDraft = {
  label: '',
  expiresOn: '',
  isReadOnly: false,
  doctypes: [],
  methods: [],
  addresses: [],
};

/** Form for the label and the limits of a key. */
export function KeyForm({ user, of, onClose, onMade }: KeyFormProps) {
  const formId = useId();
  const [draft, setDraft] = useState<KeyDraft>(
    of ? { label: of.label, expiresOn: of.expiresOn, ...of.limits } : EMPTY,
  );
  const { isBusy, error, run } = useTask();
  const [problem, setProblem] = useState<string | null>(null);
  const check = () => {
    const found = draft.expiresOn === of?.expiresOn ? null : problemOfExpiry(dayOf(draft.expiresOn));
    setProblem(found);
    return found === null;
  };
  const set = (change: Partial<KeyDraft>) => setDraft((before) => ({ ...before, ...change }));
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!check()) return;
    void run(async () => {
      if (of) {
        await changeKey(of.name, draft);
        toast('success', t('Key updated'));
      } else onMade(await createKey(user, draft));
      onClose();
    });
  };
  return (
    <Modal
      isOpen
      onClose={onClose}
      isSticky
      width={560}
      title={of ? t('Label and limits of a key') : t('New API key')}
    >
      <form id={formId} onSubmit={save}>
        <Stack>
          <TextInput
            label={t('Label')}
            description={t('The program that uses the key')}
            value={draft.label}
            onChange={(label) => set({ label })}
            maxLength={140}
            data-autofocus
          />
          <Expiry
            value={draft.expiresOn}
            onChange={(expiresOn) => set({ expiresOn })}
            error={problem}
            onBlur={check}
          />
          <Switch
            label={t('Read only')}
            description={t('The key cannot change data')}
            isOn={draft.isReadOnly}
            onChange={(isReadOnly) => set({ isReadOnly })}
          />
          <Scope draft={draft} set={set} />
          {error !== null && <ErrorPanel error={error} refused={t('Couldn’t save')} />}
          <Row isApart>
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button kind="primary" type="submit" isBusy={isBusy}>
              {of ? t('Save') : t('Create key')}
            </Button>
          </Row>
        </Stack>
      </form>
    </Modal>
  );
}

type SetDraft = (change: Partial<KeyDraft>) => void;

function Scope({ draft, set }: { readonly draft: KeyDraft; readonly set: SetDraft }) {
  const { doctypes } = useBoot();
  const names = [...doctypes.values()].filter((one) => !one.istable).map((one) => one.name);
  return (
    <>
      <MultiSelect
        label={t('Doctypes')}
        description={t('Limits the key to these doctypes. Leave empty for all the user can read')}
        choices={[...new Set([...names, ...draft.doctypes])].toSorted()}
        value={draft.doctypes}
        onChange={(next) => set({ doctypes: next })}
      />
      <WordsInput
        label={t('Methods')}
        description={t('Limits the key to these methods. Leave empty for all. Example: {example}', {
          example: 'Ticket.escalate',
        })}
        value={draft.methods}
        onChange={(methods) => set({ methods })}
      />
      <WordsInput
        label={t('Addresses')}
        description={t(
          'Limits the key to these IP addresses and networks, such as {example}. Leave empty for any',
          {
            example: '192.0.2.0/24',
          },
        )}
        value={draft.addresses}
        onChange={(addresses) => set({ addresses })}
      />
    </>
  );
}

const LIVES = [30, 90, 365] as const;

function siteToday(): string {
  return timestampOf(Date.now(), currentCustoms().siteZone).slice(0, 10);
}

function problemOfExpiry(day: string): string | null {
  return (
    problemOfDate('Date', day) ?? (day !== '' && day < siteToday() ? t('Enter today or a later day') : null)
  );
}

interface ExpiryProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | null;
  readonly onBlur: () => void;
}

function Expiry({ value, onChange, error, onBlur }: ExpiryProps) {
  const today = siteToday();
  const [choice, setChoice] = useState(value === '' ? 'never' : 'date');
  const choose = (next: string | null) => {
    setChoice(next ?? 'never');
    if (next === 'never' || next === null) onChange('');
    else if (next === 'date') onChange(value || endOfDay(dayAfter(today, 30)));
    else onChange(endOfDay(dayAfter(today, Number(next))));
  };
  const { siteZone } = currentCustoms();
  return (
    <Row gap={3}>
      <Select
        label={t('Expires')}
        value={choice}
        onChange={choose}
        choices={[
          { value: 'never', label: t('Never') },
          ...LIVES.map((days) => ({ value: String(days), label: t('In {days} days', { days }) })),
          { value: 'date', label: t('On a date') },
        ]}
      />
      {choice !== 'never' && (
        <DateInput
          fieldtype="Date"
          label={t('Last day ({zone})', { zone: siteZone })}
          value={dayOf(value)}
          error={error}
          onBlur={onBlur}
          onChange={(date) => {
            setChoice('date');
            onChange(endOfDay(date ?? ''));
          }}
        />
      )}
    </Row>
  );
}

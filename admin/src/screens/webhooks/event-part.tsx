import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { t } from '../../base/i18n.ts';
import { useBoot } from '../../data/boot.ts';
import { eventsOf } from '../../data/webhooks.ts';
import { metaQuery } from '../../meta/use-meta.ts';
import { IconButton } from '../../widgets/button.tsx';
import { DocumentPicker } from '../../widgets/document-picker.tsx';
import { Badge } from '../../widgets/feedback.tsx';
import { Select } from '../../widgets/select.tsx';
import { eventWord } from '../deliveries/delivery-words.ts';
import { useSentFields } from './doctype-fields.ts';
import { useEdited, useEditor } from './editor-context.ts';
import { CheckPart, CodePart, Part, TextPart } from './editor-parts.tsx';
import css from './webhooks.module.css';

/** Doctype, event and conditions of the webhook. */
export function EventPart() {
  const { isStored } = useEditor();
  const doctype = useEdited('webhook_doctype');
  const event = useEdited('webhook_docevent');
  const { doctypes } = useBoot();
  const { data } = useQuery({ ...metaQuery(doctype.value), enabled: doctype.value !== '' });
  const events = eventsOf(data?.meta.is_submittable ?? false);
  const stated = event.value === '' || events.some((one) => one === event.value) ? [] : [event.value];
  return (
    <Part title={t('Trigger')}>
      {!isStored && (
        <TextPart name="name" label={t('Name')} description={t('Leave empty to generate a name')} />
      )}
      <div className={css['pair']}>
        <Select
          label={t('Doctype')}
          value={doctype.value || null}
          onChange={(next) => doctype.onChange(next ?? '')}
          error={doctype.error}
          isRequired
          isSearchable
          disabled={isStored}
          choices={[...doctypes.values()].filter(({ istable }) => !istable).map(({ name }) => name)}
        />
        <Select
          label={t('Event')}
          value={event.value || null}
          onChange={(next) => event.onChange(next ?? '')}
          error={event.error}
          isRequired
          choices={[...events, ...stated].map((value) => ({
            value,
            label: `${eventWord(value)} (${value})`,
          }))}
        />
      </div>
      <CodePart
        name="condition"
        label={t('Condition')}
        rows={2}
        placeholder='doc.status == "Open" and doc.total > 100'
        description={t('Sends only when this expression is true')}
      />
      <Verdict />
      <Watched doctype={doctype.value} />
      <CheckPart
        name="skip_own_changes"
        label={t('Ignore the receiver’s own changes')}
        description={t('Prevents loops: changes made by this user send nothing')}
      />
      <OwnUser />
    </Part>
  );
}

// Result of the condition for the previewed document.
function Verdict() {
  const { preview } = useEditor();
  const condition = useEdited('condition');
  const shown = useSyncExternalStore(preview.subscribe, preview.get);
  if (condition.value.trim() === '' || condition.error || !shown?.document) return null;
  return (
    <span role="status">
      <Badge tone={shown.meets_condition ? 'success' : 'neutral'}>
        {shown.meets_condition
          ? t('True for {document}', { document: shown.document })
          : t('False for {document}', { document: shown.document })}
      </Badge>
    </span>
  );
}

function Watched({ doctype }: { readonly doctype: string }) {
  const { value, onChange, error } = useEdited('watched');
  const fields = useSentFields(doctype);
  return (
    <div>
      <Select
        label={t('Only when one of these fields changes')}
        description={t('Leave empty to send on every event')}
        placeholder={t('Add a field…')}
        value={null}
        isSearchable
        disabled={doctype === ''}
        error={error}
        onChange={(next) => next && onChange([...value, next])}
        choices={fields.filter((field) => !value.includes(field.value))}
      />
      {value.length > 0 && (
        <ul className={css['chips']} aria-label={t('Only when one of these fields changes')}>
          {value.map((fieldname) => (
            <li key={fieldname}>
              <code>{fieldname}</code>
              <IconButton
                icon="close"
                isSmall
                label={t('Remove {field}', { field: fieldname })}
                onClick={() => onChange(value.filter((one) => one !== fieldname))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function OwnUser() {
  const isOn = useEdited('skip_own_changes').value;
  const { value, onChange } = useEdited('own_user');
  if (!isOn) return null;
  return (
    <DocumentPicker
      doctype="User"
      label={t('The receiver’s user')}
      description={t('Default: the creator of the webhook')}
      value={value}
      onChange={onChange}
    />
  );
}

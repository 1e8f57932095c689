import { useId } from 'react';
import { t } from '../../base/i18n.ts';
import { isApiError } from '../../data/api-error.ts';
import type { Setting } from '../../data/system.ts';
import { Switch } from '../../widgets/checks.tsx';
import { Badge } from '../../widgets/feedback.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { Textarea } from '../../widgets/textarea.tsx';
import { settingHelp, settingLabel, sourceText, valueText } from './setting-words.ts';
import css from './system.module.css';
import type { FieldText, useSettings } from './use-settings.ts';

type Form = ReturnType<typeof useSettings>;

/** A setting: its purpose, its value in force with the source, and its control if it can be changed here. */
export function SettingRow({ setting, form }: { readonly setting: Setting; readonly form: Form }) {
  const id = useId();
  const help = settingHelp(setting);
  return (
    <li className={css['setting']} data-setting={setting.name}>
      <div className={css['settingName']}>
        <span id={id}>{settingLabel(setting)}</span>
        {help !== '' && <Muted isSmall>{help}</Muted>}
        <code dir="ltr">{setting.name}</code>
      </div>
      <div className={css['settingValue']}>
        {setting.field && form.mayWrite ? (
          <Control setting={setting} field={setting.field} form={form} labelId={id} />
        ) : (
          <span className={css['inForce']} dir="auto">
            {inForce(setting)}
          </span>
        )}
        <span className={css['source']}>
          <Badge tone={setting.source === 'default' ? 'neutral' : 'info'}>{sourceText(setting)}</Badge>
          {setting.field ? (
            setting.source !== 'default' && (
              <span>{t('Default: {value}', { value: defaultText(setting) })}</span>
            )
          ) : (
            <span>{t('Change needs a restart')}</span>
          )}
        </span>
      </div>
    </li>
  );
}

interface ControlProps {
  readonly setting: Setting;
  readonly field: NonNullable<Setting['field']>;
  readonly form: Form;
  readonly labelId: string;
}

function Control({ setting, field, form, labelId }: ControlProps) {
  const { fieldname, fieldtype, options } = field;
  const value = form.valueOf(fieldname);
  const change = (next: FieldText) => form.change(fieldname, next);
  const common = { 'aria-labelledby': labelId, error: errorOf(form.task.error, fieldname) };
  const placeholder = inForce(setting);
  if (fieldtype === 'Check') {
    return (
      <Switch
        aria-label={settingLabel(setting)}
        isOn={value === 1}
        onChange={(isOn) => change(isOn ? 1 : 0)}
      />
    );
  }
  if (fieldtype === 'Select') {
    const choices = options.split('\n').filter((option) => option !== '');
    return (
      <Select
        aria-label={settingLabel(setting)}
        error={common.error}
        value={String(value) || null}
        placeholder={placeholder}
        isClearable
        choices={choices.map((choice) => ({ value: choice, label: t(choice) }))}
        onChange={(next) => change(next ?? '')}
      />
    );
  }
  if (fieldtype === 'Small Text') {
    return (
      <Textarea {...common} rows={2} value={String(value)} placeholder={placeholder} onChange={change} />
    );
  }
  const isNumber = fieldtype === 'Int';
  return (
    <TextInput
      {...common}
      inputMode={isNumber ? 'numeric' : undefined}
      value={value === 0 ? '' : String(value)}
      placeholder={placeholder}
      onChange={(text) => change(isNumber && /^-?\d+$/.test(text.trim()) ? Number(text) : text)}
    />
  );
}

function inForce(setting: Setting): string {
  return valueText(setting.value, setting) ?? defaultText(setting);
}

function defaultText(setting: Setting): string {
  return valueText(setting.default, setting) ?? t('None');
}

function errorOf(error: unknown, fieldname: string): string | undefined {
  return isApiError(error)
    ? error.problems.find((problem) => problem.fieldname === fieldname)?.message
    : undefined;
}

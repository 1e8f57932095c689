import { t } from '../../base/i18n.ts';
import { DocumentPicker } from '../../widgets/document-picker.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Select } from '../../widgets/select.tsx';
import { Described } from './described.tsx';
import type { Parameter } from './openapi.ts';
import { isJson, schemaOf } from './operations.ts';
import { limitsOf, typeOf } from './schema-words.ts';

interface ParameterInputProps {
  readonly parameter: Parameter;
  readonly doctype: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The control of a parameter: a search for a record's name, a choice, or a text. */
export function ParameterInput({ parameter, doctype, value, onChange }: ParameterInputProps) {
  const { name, description = '', required } = parameter;
  const schema = schemaOf(parameter);
  const limits = limitsOf(schema);
  const hint = (description !== '' || limits !== '') && (
    <>
      <Described text={description} />
      {description !== '' && limits !== '' && ' · '}
      {limits}
    </>
  );
  if (parameter.in === 'path' && name === 'name' && doctype !== '') {
    return (
      <DocumentPicker
        doctype={doctype}
        label={name}
        description={hint}
        placeholder={t('Choose a record')}
        value={value}
        onChange={onChange}
      />
    );
  }
  const choices = schema.enum?.filter((one) => typeof one === 'string') ?? [];
  if (choices.length > 0) {
    return (
      <Select
        label={name}
        description={hint}
        isRequired={required}
        isClearable
        value={value || null}
        onChange={(next) => onChange(next ?? '')}
        choices={choices}
      />
    );
  }
  return (
    <TextInput
      label={name}
      description={hint}
      isRequired={required}
      placeholder={isJson(parameter) ? 'JSON' : typeOf(schema)}
      dir="ltr"
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={onChange}
    />
  );
}

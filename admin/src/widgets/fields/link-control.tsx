import { useId } from 'react';
import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { useLinkTitle } from '../../meta/link-titles.ts';
import { Combobox, InputBase } from '../combobox.tsx';
import { frameOf, textOf } from './control-frame.ts';
import { LinkOptions, listAttributes } from './link-options.tsx';
import { LinkTools } from './link-tools.tsx';
import { type LinkPicker, useLinkPicker } from './use-link-picker.ts';

/** Link and Dynamic Link: a document of another doctype. Searches on the server while the user types. */
export function LinkControl(props: ControlProps) {
  const { field } = props;
  const target = field.fieldtype === 'Dynamic Link' ? textOf(props.valueOf(field.options)) : field.options;
  const picker = useLinkPicker(props, target);
  const id = useId();
  const { combobox, options, extras, isOpen, isClosed, take, choose } = picker;
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(value) => {
        const extra = extras.find((one) => value === `\u0000${one}`);
        if (extra) void take(extra);
        else choose(value);
      }}
      shadow="md"
      zIndex={400}
      transitionProps={{ duration: 0 }}
      position="bottom-start"
      width="target"
      middlewares={{ flip: true, shift: true }}
    >
      <PickerInput {...{ props, picker, target, id }} />
      <Combobox.Dropdown hidden={isClosed}>
        {isOpen && <LinkOptions {...{ id, target, options, extras }} />}
      </Combobox.Dropdown>
    </Combobox>
  );
}

interface PickerInputProps {
  readonly props: ControlProps;
  readonly picker: LinkPicker;
  readonly target: string;
  readonly id: string;
}

function PickerInput({ props, picker, target, id }: PickerInputProps) {
  const { field, isRequired, isInCell, autoFocus } = props;
  const { name, text, isOpen, isClosed, options } = picker;
  const { isRequired: _, ...frame } = frameOf(props);
  const title = useLinkTitle(target, name) ?? name;
  return (
    <Combobox.Target withKeyboardNavigation={false} withAriaAttributes={false}>
      <InputBase
        {...frame}
        {...listAttributes(id, isOpen, options)}
        ref={picker.input}
        withAsterisk={isRequired && !isInCell}
        aria-required={isRequired || undefined}
        value={text ?? title}
        readOnly={isClosed}
        autoFocus={autoFocus}
        autoComplete="off"
        spellCheck={false}
        placeholder={target === '' ? t('Choose {field} first', { field: field.options }) : undefined}
        onChange={(event) => picker.type(event.currentTarget.value)}
        onClick={picker.open}
        onKeyDown={picker.press}
        onBlur={picker.leave}
        {...endOf(picker, target, title)}
      />
    </Combobox.Target>
  );
}

/** The end of the field: its buttons, or an arrow while there is something to choose. */
function endOf({ name, isClosed, choose }: LinkPicker, target: string, title: string) {
  if (name === '')
    return {
      rightSection: isClosed ? null : <Combobox.Chevron />,
      rightSectionWidth: isClosed ? 0 : 30,
      rightSectionPointerEvents: 'none',
    } as const;
  return {
    rightSection: <LinkTools {...{ name, title, target }} onClear={isClosed ? null : () => choose(null)} />,
    rightSectionWidth: isClosed ? 30 : 56,
    rightSectionPointerEvents: 'all',
  } as const;
}

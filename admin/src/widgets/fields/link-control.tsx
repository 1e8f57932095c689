import { useContext, useRef, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import type { Found } from '../../data/documents.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { useLinkTitle } from '../../meta/link-titles.ts';
import { may } from '../../meta/permissions.ts';
import { Combobox, InputBase, useCombobox } from '../combobox.tsx';
import { Icon } from '../icon.tsx';
import { frameOf, textOf } from './control-frame.ts';
import { CreateNewContext } from './create-new.ts';
import css from './fields.module.css';
import { LinkOptions, NEW } from './link-options.tsx';
import { filtersOf, findLinks, meantBy, noteSettling, useLinkSearch } from './link-search.ts';

/** Link and Dynamic Link: a document of another doctype. Searches on the server while the user types. */
export function LinkControl(props: ControlProps) {
  const { field } = props;
  const doctype = field.fieldtype === 'Dynamic Link' ? textOf(props.valueOf(field.options)) : field.options;
  return <LinkPicker {...props} target={doctype} />;
}

function LinkPicker(props: ControlProps & { readonly target: string }) {
  const { field, value, onChange, onCommit, isReadOnly, isInCell, target, autoFocus } = props;
  const createNew = useContext(CreateNewContext);
  const [text, setText] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const isCreating = useRef(false);
  const filters = filtersOf(field.link_filters);
  const name = textOf(value);
  const title = useLinkTitle(target, name) ?? name;
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const { found, isLoading, error } = useLinkSearch(
    target,
    combobox.dropdownOpened ? (text ?? '') : null,
    filters,
  );
  const canCreate = createNew !== null && may(target, 'create');
  const isClosed = isReadOnly || target === '';

  const choose = (next: string | null) => {
    setText(null);
    combobox.closeDropdown();
    onChange(next);
    onCommit?.();
  };
  const submit = async (option: string) => {
    if (option !== NEW) return choose(option);
    combobox.closeDropdown();
    // The focus moves to the drawer. The typed text becomes the new document's title, not a value of this
    // field.
    isCreating.current = true;
    const made = await createNew?.(target, text ?? '');
    isCreating.current = false;
    if (made) choose(made);
    else setText(null);
    input.current?.focus();
  };
  // The user left the field without choosing an option: a complete name or title counts as a choice.
  const leave = async () => {
    combobox.closeDropdown();
    if (isCreating.current) return;
    if (text === null) return onCommit?.();
    const typed = text.trim();
    if (typed === '') return choose(null);
    setText(null);
    const known = meantBy(typed, found);
    onChange(known?.value ?? typed);
    if (!known) {
      const late: readonly Found[] = await findLinks(target, typed, filters).catch(() => []);
      const meant = meantBy(typed, late);
      if (meant && meant.value !== typed) onChange(meant.value);
    }
    onCommit?.();
  };
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(option) => void submit(option)}
      shadow="md"
      zIndex={400}
      transitionProps={{ duration: 0 }}
      position="bottom-start"
      width="target"
      middlewares={{ flip: true, shift: true }}
    >
      <Combobox.Target withExpandedAttribute>
        <InputBase
          {...withoutRequired(frameOf(props))}
          withAsterisk={props.isRequired && !isInCell}
          ref={input}
          role="combobox"
          aria-autocomplete="list"
          aria-required={props.isRequired || undefined}
          dir="auto"
          value={text ?? title}
          readOnly={isClosed}
          autoFocus={autoFocus}
          autoComplete="off"
          spellCheck={false}
          placeholder={target === '' ? t('Choose {field} first', { field: field.options }) : undefined}
          onChange={(event) => {
            setText(event.currentTarget.value);
            combobox.openDropdown();
            combobox.resetSelectedOption();
          }}
          onClick={() => !isClosed && combobox.openDropdown()}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && text !== null) setText(null);
          }}
          onBlur={() => noteSettling(leave())}
          rightSectionPointerEvents="all"
          rightSectionWidth={name === '' ? 0 : isClosed ? 30 : 56}
          rightSection={
            name === '' ? null : (
              <LinkTools
                name={name}
                title={title}
                target={target}
                onClear={isClosed ? null : () => choose(null)}
              />
            )
          }
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={isClosed}>
        {combobox.dropdownOpened && (
          <LinkOptions
            target={target}
            text={text ?? ''}
            found={found}
            isLoading={isLoading}
            error={error}
            canCreate={canCreate}
          />
        )}
      </Combobox.Dropdown>
    </Combobox>
  );
}

interface ToolsProps {
  readonly name: string;
  readonly title: string;
  readonly target: string;
  readonly onClear: (() => void) | null;
}

function LinkTools({ name, title, target, onClear }: ToolsProps) {
  return (
    <span className={css['tools']}>
      {onClear && (
        <button
          type="button"
          className={css['tool']}
          aria-label={t('Clear')}
          // Keeps the focus in the field, so that the incomplete text is not committed.
          onMouseDown={(event) => event.preventDefault()}
          onClick={onClear}
        >
          <Icon name="close" size={14} />
        </button>
      )}
      {may(target, 'read') && (
        <PathLink
          className={css['tool']}
          to={paths.record(target, name)}
          aria-label={t('Open {text}', { text: title })}
        >
          <Icon name="end" size={14} />
        </PathLink>
      )}
    </span>
  );
}

function withoutRequired<T extends { readonly isRequired?: boolean }>({ isRequired: _, ...rest }: T) {
  return rest;
}

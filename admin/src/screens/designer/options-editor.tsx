import { useRef } from 'react';
import { flushSync } from 'react-dom';
import { t } from '../../base/i18n.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted } from '../../widgets/layout.tsx';
import css from './designer.module.css';
import { useFieldLock, useFieldText, useSet } from './designer-context.ts';

/** The options of a Select, one input each. Enter adds one, pasted lines become several. */
export function OptionsEditor({ of }: { readonly of: string }) {
  const write = useSet(of, 'options');
  const list = useRef<HTMLDivElement>(null);
  const lock = useFieldLock(of, 'options');
  const text = useFieldText(of, 'options');
  const options = text === '' ? [] : text.split('\n');
  const set = (next: readonly string[], focus?: number) => {
    flushSync(() => write(next.join('\n')));
    if (focus !== undefined) list.current?.querySelectorAll('input')[focus]?.focus();
  };
  // A lone empty option would be the same text as none.
  const add = (at: number) => set(options.toSpliced(at, 0, options.length === 0 ? t('Option') : ''), at);
  const move = (at: number, by: number) => {
    const moved = options.toSpliced(at, 1).toSpliced(at + by, 0, options[at] ?? '');
    if (at + by >= 0 && at + by < options.length) set(moved, at + by);
  };
  return (
    <div className={css['options']} ref={list}>
      <span className={css['optionsLabel']}>{t('Options')}</span>
      {lock !== '' && <Muted isSmall>{lock}</Muted>}
      {options.map((option, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: options have no other identity
        <div className={css['option']} key={at}>
          <TextInput
            aria-label={t('Option {at}', { at: at + 1 })}
            value={option}
            disabled={lock !== ''}
            dir="auto"
            placeholder={at === 0 ? t('Empty: nothing chosen') : undefined}
            onChange={(next) => set(options.with(at, next.replaceAll('\n', ' ')))}
            onPaste={(event) => {
              const lines = event.clipboardData.getData('text').split(/\r?\n/).filter(Boolean);
              if (lines.length < 2) return;
              event.preventDefault();
              set([...options.slice(0, at), ...lines, ...options.slice(at + 1)].filter(Boolean));
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter') add(at + 1);
              else if (event.key === 'Backspace' && option === '') set(options.toSpliced(at, 1), at - 1);
              else if (event.altKey && event.key === 'ArrowUp') move(at, -1);
              else if (event.altKey && event.key === 'ArrowDown') move(at, 1);
              else return;
              event.preventDefault();
            }}
          />
          <IconButton
            isSmall
            icon="close"
            label={t('Remove option {at}', { at: at + 1 })}
            disabled={lock !== ''}
            onClick={() => set(options.toSpliced(at, 1))}
          />
        </div>
      ))}
      {lock === '' && (
        <Button icon="plus" kind="quiet" onClick={() => add(options.length)}>
          {t('Add option')}
        </Button>
      )}
    </div>
  );
}

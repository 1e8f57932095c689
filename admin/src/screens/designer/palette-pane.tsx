import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { Icon } from '../../widgets/icon.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted } from '../../widgets/layout.tsx';
import css from './designer.module.css';
import { type FieldKind, kindGroups } from './field-kinds.ts';
import { useDrag } from './use-drag.ts';

/** All fieldtypes. A click adds a field behind the selected one; a field can also be dragged to its place. */
export function PalettePane({ onAdd }: { readonly onAdd: (type: string) => void }) {
  const [typed, setTyped] = useState('');
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = kindGroups()
    .map(({ label, kinds }) => ({ label, kinds: kinds.filter((one) => fits(one, words)) }))
    .filter(({ kinds }) => kinds.length > 0);
  const [first] = groups.flatMap(({ kinds }) => kinds);
  return (
    <div className={css['palette']}>
      <TextInput
        type="search"
        aria-label={t('Search field types')}
        placeholder={t('Search field types')}
        start={<Icon name="search" />}
        value={typed}
        onChange={setTyped}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !first || words.length === 0) return;
          setTyped('');
          onAdd(first.type);
        }}
      />
      <div className={css['kindList']}>
        {groups.length === 0 && <Muted isSmall>{t('No field type is called that.')}</Muted>}
        {groups.map(({ label, kinds }) => (
          <section key={label} aria-label={label}>
            <h2 className={css['groupLabel']}>{label}</h2>
            <div className={css['kinds']}>
              {kinds.map((kind) => (
                <Kind key={kind.type} kind={kind} onAdd={onAdd} />
              ))}
            </div>
          </section>
        ))}
      </div>
    </div>
  );
}

function Kind({ kind, onAdd }: { readonly kind: FieldKind; readonly onAdd: (type: string) => void }) {
  const drag = useDrag();
  return (
    <button
      type="button"
      className={css['kind']}
      title={kind.hint}
      onPointerDown={(event) => drag(event, { type: kind.type }, kind.label)}
      onClick={() => onAdd(kind.type)}
    >
      <Icon name={kind.icon} />
      <span>{kind.label}</span>
    </button>
  );
}

function fits({ type, label, hint }: FieldKind, words: readonly string[]): boolean {
  const text = `${type} ${label} ${hint}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

import { useState } from 'react';
import { flushSync } from 'react-dom';
import { t } from '../../base/i18n.ts';
import { useNarrow } from '../../grid/use-narrow.ts';
import { Button } from '../../widgets/button.tsx';
import { Drawer } from '../../widgets/dialogs.tsx';
import { Muted } from '../../widgets/layout.tsx';
import { SegmentedControl } from '../../widgets/segmented-control.tsx';
import { Canvas } from './canvas.tsx';
import css from './designer.module.css';
import { useDesign, useSelected } from './designer-context.ts';
import { inserted } from './draft.ts';
import { fieldFor } from './new-draft.ts';
import { PalettePane } from './palette-pane.tsx';
import { Panel } from './panel.tsx';
import { Preview } from './preview.tsx';

type Mode = 'design' | 'preview';

/** The palette, the form, and the properties of the selected field. On a phone they are one after the other. */
export function FieldsTab() {
  const store = useDesign();
  const isNarrow = useNarrow();
  const [mode, setMode] = useState<Mode>('design');
  const [open, setOpen] = useState<'palette' | 'panel' | null>(null);
  const edit = () => {
    flushSync(() => setOpen('panel'));
    const first = document.querySelector<HTMLInputElement>('[data-designer-panel] [data-first]');
    first?.focus();
    first?.select();
  };
  const add = (type: string) => {
    const { draft, state } = store;
    const at = draft.fields.findIndex(({ key }) => key === state.get().selected);
    const field = fieldFor(draft, type, store.design === null);
    flushSync(() => {
      store.changeFields((fields) => inserted(fields, field, at < 0 ? fields.length : at + 1));
      store.select(field.key);
      setMode('design');
    });
    edit();
  };
  return (
    <div className={css['panes']}>
      {!isNarrow && (
        <aside className={css['side']} aria-label={t('Field types')}>
          <PalettePane onAdd={add} />
        </aside>
      )}
      <div className={css['middle']}>
        <div className={css['bar']}>
          <SegmentedControl<Mode>
            label={t('View')}
            value={mode}
            onChange={setMode}
            choices={[
              { value: 'design', label: t('Design') },
              { value: 'preview', label: t('Preview') },
            ]}
          />
          {isNarrow && (
            <Button icon="plus" onClick={() => setOpen('palette')}>
              {t('Add field')}
            </Button>
          )}
          <ShippedNote />
        </div>
        {mode === 'design' ? <Canvas onEdit={edit} onAdd={() => add('Data')} /> : <Preview />}
      </div>
      {isNarrow ? (
        <NarrowParts open={open} onOpen={setOpen} onAdd={add} />
      ) : (
        <aside className={css['side']} aria-label={t('Properties')} data-designer-panel>
          <Panel />
        </aside>
      )}
    </div>
  );
}

function ShippedNote() {
  const { design } = useDesign();
  if (!design?.app) return null;
  return <Muted isSmall>{t('Your changes are stored as Custom Fields and Property Setters.')}</Muted>;
}

interface NarrowProps {
  readonly open: 'palette' | 'panel' | null;
  readonly onOpen: (open: 'palette' | 'panel' | null) => void;
  readonly onAdd: (type: string) => void;
}

function NarrowParts({ open, onOpen, onAdd }: NarrowProps) {
  const selected = useSelected();
  return (
    <>
      {selected !== null && (
        <div className={css['footer']}>
          <Button icon="edit" onClick={() => onOpen('panel')}>
            {t('Edit field')}
          </Button>
        </div>
      )}
      <Drawer isOpen={open === 'palette'} onClose={() => onOpen(null)} title={t('Add field')} width={400}>
        <PalettePane onAdd={onAdd} />
      </Drawer>
      <Drawer
        isOpen={open === 'panel' && selected !== null}
        onClose={() => onOpen(null)}
        title={t('Properties')}
        width={400}
      >
        <div data-designer-panel>
          <Panel />
        </div>
      </Drawer>
    </>
  );
}

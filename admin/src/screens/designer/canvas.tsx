import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Hidden } from '../../widgets/layout.tsx';
import { CanvasCard, ColumnHead, FirstColumnHead, SectionHead, titleOf } from './canvas-card.tsx';
import { type CanvasColumn, type CanvasSection, type CanvasTab, canvasOf } from './canvas-layout.ts';
import css from './designer.module.css';
import { useDesign, useDesigned } from './designer-context.ts';
import { useCanvasKeys } from './use-canvas-keys.ts';
import { useDrag } from './use-drag.ts';

/** The fields as the form will show them. */
export function Canvas({ onEdit, onAdd }: { readonly onEdit: () => void; readonly onAdd: () => void }) {
  const fields = useDesigned(({ draft }) => draft.fields);
  const onKeyDown = useCanvasKeys(onEdit);
  const tabs = canvasOf(fields);
  const [shown, show] = useShownTab(tabs);
  if (fields.length === 0) return <Blank onAdd={onAdd} />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: key presses bubble here from the fields' buttons
    <div className={css['canvas']} data-canvas onKeyDown={onKeyDown}>
      <Hidden>
        <span id="designer-keys">
          {t('Arrows go to other fields, with Alt they move the field. Enter edits it, Delete removes it.')}
        </span>
      </Hidden>
      {(tabs.length > 1 || shown.head) && (
        <div className={css['tabs']}>
          {tabs.map((tab) => (
            <TabHead key={tab.key} tab={tab} isShown={tab === shown} onShow={() => show(tab)} />
          ))}
        </div>
      )}
      {shown.sections.map((section) => (
        <Section key={section.key} section={section} />
      ))}
    </div>
  );
}

function Blank({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <div className={css['canvas']} data-canvas data-drop="part" data-end={0}>
      <EmptyState
        icon="plus"
        title={t('Add the first field')}
        action={
          <Button kind="primary" icon="plus" onClick={onAdd}>
            {t('Add a text line')}
          </Button>
        }
      >
        {t('Choose a field type beside this, or drag it here.')}
      </EmptyState>
    </div>
  );
}

// The tab with the selected field, otherwise the one that was shown last.
function useShownTab(tabs: readonly CanvasTab[]): readonly [CanvasTab, (tab: CanvasTab) => void] {
  const store = useDesign();
  const selected = useDesigned((state) => state.selected);
  const [chosen, setChosen] = useState('');
  const found = tabs.find((tab) => selected !== null && holds(tab, selected));
  if (found && found.key !== chosen) setChosen(found.key);
  const shown = found ?? tabs.find(({ key }) => key === chosen) ?? tabs[0];
  const show = (tab: CanvasTab) => {
    setChosen(tab.key);
    store.select(tab.head?.key ?? null);
  };
  return [shown ?? { key: '', head: null, sections: [] }, show];
}

function holds({ head, sections }: CanvasTab, key: string): boolean {
  return (
    head?.key === key ||
    sections.some(
      (section) =>
        section.head?.key === key ||
        section.columns.some(
          (column) => column.head?.key === key || column.fields.some((field) => field.key === key),
        ),
    )
  );
}

function TabHead({
  tab: { head, sections },
  isShown,
  onShow,
}: {
  readonly tab: CanvasTab;
  readonly isShown: boolean;
  readonly onShow: () => void;
}) {
  const drag = useDrag();
  const label = head ? titleOf(head) : t('Details');
  return (
    <button
      type="button"
      className={css['tab']}
      aria-pressed={isShown}
      data-drop="part"
      data-key={head?.key}
      data-end={sections.at(-1)?.columns.at(-1)?.end}
      onPointerDown={(event) => head && drag(event, { key: head.key }, label)}
      onClick={onShow}
      dir="auto"
    >
      {label}
    </button>
  );
}

function Section({ section: { head, columns } }: { readonly section: CanvasSection }) {
  return (
    <div className={css['section']}>
      {head && <SectionHead field={head} />}
      <div className={css['columns']} data-count={Math.min(4, columns.length)}>
        {columns.map((column) => (
          <Column key={column.key} column={column} isOnly={columns.length === 1} />
        ))}
      </div>
    </div>
  );
}

// As in the form, short fields of a section without columns flow beside each other.
function Column({
  column: { head, fields, end },
  isOnly,
}: {
  readonly column: CanvasColumn;
  readonly isOnly: boolean;
}) {
  return (
    <div
      className={css[isOnly ? 'flow' : 'column']}
      data-drop="part"
      data-end={end}
      data-flow={isOnly || undefined}
    >
      {head ? <ColumnHead field={head} /> : !isOnly && <FirstColumnHead />}
      {fields.map((field) => (
        <CanvasCard key={field.key} field={field} />
      ))}
      {fields.length === 0 && <span className={css['void']}>{t('Drop fields here')}</span>}
    </div>
  );
}

import type { MouseEvent } from 'react';
import type { Command } from '../../base/commands.ts';
import { Highlight } from '../../widgets/highlight.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { Keys } from '../../widgets/kbd.tsx';
import css from './palette.module.css';

interface PaletteOptionProps {
  readonly command: Command;
  readonly typed: string;
  readonly id: string;
  readonly index: number;
  readonly isChosen: boolean;
  /** The first of its group has the group's heading. */
  readonly isFirst: boolean;
  readonly onRun: (command: Command, isNewTab: boolean) => void;
  readonly onPoint: (index: number) => void;
}

/** A result of the palette. */
export function PaletteOption(props: PaletteOptionProps) {
  const { command, typed, id, index, isChosen, isFirst } = props;
  const run = (event: MouseEvent) => props.onRun(command, event.ctrlKey || event.metaKey);
  return (
    <>
      {isFirst && (
        <div className={css['group']} role="presentation">
          {command.group}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys */}
      <div
        id={id}
        role="option"
        tabIndex={-1}
        aria-selected={isChosen}
        data-at={index}
        className={css['option']}
        onClick={run}
        onPointerMove={() => props.onPoint(index)}
      >
        <Icon name={command.icon ?? 'bolt'} />
        <span className={css['label']} dir="auto" title={command.label}>
          <Highlight text={command.label} part={typed} />
        </span>
        {command.detail && (
          <span className={css['detail']} dir="auto">
            <Highlight text={command.detail} part={typed} />
          </span>
        )}
        {command.kind && <span className={css['kind']}>{command.kind}</span>}
        {command.keys && <Keys keys={command.keys} />}
      </div>
    </>
  );
}

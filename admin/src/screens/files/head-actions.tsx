import { useRef } from 'react';
import { useCommands } from '../../base/commands.ts';
import { t } from '../../base/i18n.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { Button } from '../../widgets/button.tsx';
import { Menu } from '../../widgets/menu.tsx';
import { SegmentedControl } from '../../widgets/segmented-control.tsx';
import { AccessMenu } from './access-menu.tsx';
import { useFileActions } from './file-actions.ts';
import { FileInput } from './file-input.tsx';

interface HeadActionsProps {
  readonly folder: string;
  readonly view: 'list' | 'grid';
  /** True if new files are private. */
  readonly isPrivate: boolean;
  readonly onPrivate: (isPrivate: boolean) => void;
  readonly onChoose: (files: Iterable<File>) => void;
  readonly onView: (view: 'list' | 'grid') => void;
}

/** Actions beside the heading: view and upload. */
export function HeadActions({ folder, view, isPrivate, onPrivate, onChoose, onView }: HeadActionsProps) {
  const { ask, canCreate } = useFileActions();
  const files = useRef<HTMLInputElement>(null);
  const folders = useRef<HTMLInputElement>(null);
  useShortcut('files', 'u', t('Upload files'), () => files.current?.click(), { isOn: canCreate });
  useCommands(
    canCreate
      ? [
          {
            id: 'upload files',
            label: t('Upload files'),
            group: t('Files'),
            run: () => files.current?.click(),
          },
          {
            id: 'new folder',
            label: t('New folder'),
            group: t('Files'),
            run: () => ask({ kind: 'new folder', folder }),
          },
        ]
      : [],
  );
  return (
    <>
      <SegmentedControl
        label={t('How files are shown')}
        value={view}
        onChange={onView}
        choices={[
          { value: 'list', label: t('List') },
          { value: 'grid', label: t('Tiles') },
        ]}
      />
      {canCreate && (
        <>
          <Button icon="folder" onClick={() => ask({ kind: 'new folder', folder })}>
            {t('New folder')}
          </Button>
          <FileInput at={files} label={t('Files to upload')} onChoose={onChoose} />
          <FileInput at={folders} label={t('Folder to upload')} isFolder onChoose={onChoose} />
          <AccessMenu isPrivate={isPrivate} onPrivate={onPrivate} />
          <Menu
            target={
              <Button kind="primary" icon="upload" endIcon="down">
                {t('Upload')}
              </Button>
            }
            items={[
              { label: t('Files…'), icon: 'file', keys: 'U', run: () => files.current?.click() },
              { label: t('Folder…'), icon: 'folder', run: () => folders.current?.click() },
            ]}
          />
        </>
      )}
    </>
  );
}

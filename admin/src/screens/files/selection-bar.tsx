import { t, tn } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { Toolbar } from '../../widgets/layout.tsx';
import { Menu } from '../../widgets/menu.tsx';
import { type Chosen, NONE } from './chosen.ts';
import { useFileActions } from './file-actions.ts';
import { zipAddress } from './file-data.ts';
import { isStanding } from './file-item.ts';

interface SelectionBarProps {
  readonly chosen: Chosen;
  readonly onChosen: (chosen: Chosen) => void;
  readonly onAll: () => void;
}

/** Maximum characters of an address that all servers and proxies accept. */
const LONGEST_ADDRESS = 6_000;
/** The server's limit of files and folders named in a zip request. */
const MOST_ZIPPED = 1_000;

/** The number of selected items and their actions. */
export function SelectionBar({ chosen, onChosen, onAll }: SelectionBarProps) {
  const { ask } = useFileActions();
  const items = [...chosen.values()];
  const [only] = items.length === 1 ? items : [];
  const isFixed = items.some(isStanding);
  const files = items.filter((item) => !item.isFolder);
  return (
    <Toolbar label={t('Selected files')}>
      <IconButton icon="close" label={t('Clear the selection')} onClick={() => onChosen(NONE)} />
      <strong>{tn(items.length, '{count} selected', '{count} selected')}</strong>
      <Button icon="download" onClick={() => downloadZip(items.map(({ name }) => name))}>
        {t('Download zip')}
      </Button>
      {only && (
        <Button icon="edit" disabled={isFixed} onClick={() => ask({ kind: 'rename', item: only })}>
          {t('Rename…')}
        </Button>
      )}
      <Button icon="folder" disabled={isFixed} onClick={() => ask({ kind: 'move', items })}>
        {t('Move to…')}
      </Button>
      {files.length > 0 && (
        <Menu
          target={
            <Button icon="lock" endIcon="down">
              {t('Access')}
            </Button>
          }
          items={[
            {
              label: t('Make private…'),
              icon: 'lock',
              isDisabled: files.every((item) => item.isPrivate),
              run: () => ask({ kind: 'privacy', items: files, isPrivate: true }),
            },
            {
              label: t('Make public…'),
              icon: 'globe',
              isDisabled: files.every((item) => !item.isPrivate),
              run: () => ask({ kind: 'privacy', items: files, isPrivate: false }),
            },
          ]}
        />
      )}
      <Button icon="trash" disabled={isFixed} onClick={() => ask({ kind: 'delete', items })}>
        {t('Delete…')}
      </Button>
      <Button kind="quiet" onClick={onAll}>
        {t('Select all')}
      </Button>
    </Toolbar>
  );
}

// The browser downloads the address itself, so that the page never holds a large zip in memory.
function downloadZip(names: readonly string[]): void {
  const address = zipAddress(names);
  if (address.length > LONGEST_ADDRESS || names.length > MOST_ZIPPED) {
    toast('error', t('Too many files for one zip. Select their folder instead'));
    return;
  }
  const link = document.createElement('a');
  link.href = address;
  link.download = 'files.zip';
  link.click();
}

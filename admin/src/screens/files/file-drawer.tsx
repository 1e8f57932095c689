import { useQuery } from '@tanstack/react-query';
import { formatBytes, formatDatetime } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { Button } from '../../widgets/button.tsx';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Drawer } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { useFileActions } from './file-actions.ts';
import { fileQuery } from './file-data.ts';
import { addressElsewhere, addressOfFile, type FileItem, isStored } from './file-item.ts';
import { Preview } from './file-preview.tsx';
import { Access } from './file-row.tsx';
import css from './files.module.css';

/** Preview, details and actions of a file. */
export function FileDrawer({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { data, error, refetch } = useQuery(fileQuery(name));
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={<bdi className={css['drawerTitle']}>{data?.item.title ?? t('File')}</bdi>}
    >
      {error !== null && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={240} />}
      {data && (
        <Stack>
          <Preview item={data.item} />
          <DrawerActions item={data.item} />
          <Details item={data.item} owner={data.owner} creation={data.creation} />
        </Stack>
      )}
    </Drawer>
  );
}

function DrawerActions({ item }: { readonly item: FileItem }) {
  const actions = useFileActions();
  const elsewhere = addressElsewhere(item.url);
  return (
    <Row>
      {isStored(item.url) && (
        <a className={css['download']} href={addressOfFile(item.url)} download={item.title}>
          {t('Download')}
        </a>
      )}
      {elsewhere !== null && (
        <a className={css['download']} href={elsewhere} target="_blank" rel="noopener noreferrer">
          {t('Open the link')}
        </a>
      )}
      {isStored(item.url) && (
        <CopyButton text={() => new URL(addressOfFile(item.url), location.origin).href}>
          {t('Copy link')}
        </CopyButton>
      )}
      {item.isPrivate && isStored(item.url) && (
        <Button icon="link" onClick={() => actions.ask({ kind: 'link', item })}>
          {t('Share link…')}
        </Button>
      )}
      {isStored(item.url) && (
        <Button
          icon={item.isPrivate ? 'globe' : 'lock'}
          onClick={() => actions.ask({ kind: 'privacy', items: [item], isPrivate: !item.isPrivate })}
        >
          {item.isPrivate ? t('Make public…') : t('Make private…')}
        </Button>
      )}
      <Button icon="edit" onClick={() => actions.ask({ kind: 'rename', item })}>
        {t('Rename…')}
      </Button>
      <Button icon="folder" onClick={() => actions.ask({ kind: 'move', items: [item] })}>
        {t('Move to…')}
      </Button>
      <Button icon="trash" onClick={() => actions.ask({ kind: 'delete', items: [item] })}>
        {t('Delete…')}
      </Button>
    </Row>
  );
}

interface DetailsProps {
  readonly item: FileItem;
  readonly owner: string;
  readonly creation: string;
}

function Details({ item, owner, creation }: DetailsProps) {
  const { attachedTo } = item;
  return (
    <dl className={css['details']}>
      <dt>{t('Type')}</dt>
      <dd>{item.extension || '–'}</dd>
      {isStored(item.url) && (
        <>
          <dt>{t('Size')}</dt>
          <dd>{formatBytes(item.bytes)}</dd>
        </>
      )}
      <dt>{t('Access')}</dt>
      <dd>
        <Access item={item} />
      </dd>
      <dt>{t('Folder')}</dt>
      <dd>
        <PathLink to={paths.files({ folder: item.folder })}>
          <bdi>{item.folder}</bdi>
        </PathLink>
      </dd>
      {attachedTo && (
        <>
          <dt>{t('Attached to')}</dt>
          <dd>
            <PathLink to={paths.record(attachedTo.doctype, attachedTo.name)}>
              <bdi>{`${attachedTo.doctype}: ${attachedTo.name}`}</bdi>
            </PathLink>
          </dd>
        </>
      )}
      <dt>{t('Owner')}</dt>
      <dd>
        <bdi>{owner}</bdi>
      </dd>
      <dt>{t('Uploaded')}</dt>
      <dd>{formatDatetime(creation)}</dd>
      <dt>{t('Changed')}</dt>
      <dd>{formatDatetime(item.modified)}</dd>
      <dt>{t('Address')}</dt>
      <dd>
        <code dir="ltr">{item.url}</code>
      </dd>
    </dl>
  );
}

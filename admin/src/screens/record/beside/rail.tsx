import type { ComponentType } from 'react';
import { t } from '../../../base/i18n.ts';
import { useFreshness } from '../../../data/events.ts';
import { AssignedPart } from './assigned.tsx';
import { AttachmentsPart } from './attachments.tsx';
import css from './beside.module.css';
import { Connections } from './connections.tsx';
import { Details } from './details.tsx';
import { FiringWebhooks } from './firing-webhooks.tsx';
import type { RailPartProps } from './rail-part.tsx';
import { SharesPart } from './shares.tsx';
import { TagsPart } from './tags.tsx';

/** The parts of the rail, from the top. */
const PARTS: readonly { readonly id: string; readonly RailPart: ComponentType<RailPartProps> }[] = [
  { id: 'assigned', RailPart: AssignedPart },
  { id: 'tags', RailPart: TagsPart },
  { id: 'shares', RailPart: SharesPart },
  { id: 'details', RailPart: Details },
  { id: 'attachments', RailPart: AttachmentsPart },
  { id: 'connections', RailPart: Connections },
  { id: 'webhooks', RailPart: FiringWebhooks },
];

/** What belongs to a document besides its fields. */
export function RecordRail(props: RailPartProps) {
  useFreshness(['File', 'Comment', 'Version']);
  const { doctype, name } = props.doc;
  return (
    <aside className={css['rail']} aria-label={t('About this document')}>
      {PARTS.map(({ id, RailPart }) => (
        <RailPart key={`${id} ${doctype} ${name}`} {...props} />
      ))}
    </aside>
  );
}

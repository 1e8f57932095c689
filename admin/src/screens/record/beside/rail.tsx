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

interface ListedPart {
  readonly id: string;
  readonly RailPart: ComponentType<RailPartProps>;
}

/** What people put on the document, in one card. */
const MARKS: readonly ListedPart[] = [
  { id: 'assigned', RailPart: AssignedPart },
  { id: 'tags', RailPart: TagsPart },
  { id: 'shares', RailPart: SharesPart },
];

/** The other parts of the rail, from the top. */
const PARTS: readonly ListedPart[] = [
  { id: 'details', RailPart: Details },
  { id: 'attachments', RailPart: AttachmentsPart },
  { id: 'connections', RailPart: Connections },
  { id: 'webhooks', RailPart: FiringWebhooks },
];

/** What belongs to a document besides its fields. */
export function RecordRail(props: RailPartProps) {
  useFreshness(['File', 'Comment', 'Version']);
  const { doctype, name } = props.doc;
  const show = ({ id, RailPart }: ListedPart) => <RailPart key={`${id} ${doctype} ${name}`} {...props} />;
  return (
    <aside className={css['rail']} aria-label={t('About this document')}>
      <div className={css['marks']}>{MARKS.map(show)}</div>
      {PARTS.map(show)}
    </aside>
  );
}

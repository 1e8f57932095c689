import { t } from '../../../base/i18n.ts';
import type { Doc } from '../../../data/documents.ts';
import css from './beside.module.css';
import { EntryTime } from './entry-time.tsx';
import { Sentence } from './sentence.tsx';
import { USER } from './version-words.ts';

/** The first thing that happened to every document. */
export function CreatedEntry({ doc }: { readonly doc: Pick<Doc, 'owner' | 'creation'> }) {
  return (
    <li className={css['entry']}>
      <div className={css['happened']}>
        <Sentence text={t('{user} created this document', { user: USER })} user={doc.owner} />
        <EntryTime at={doc.creation} />
      </div>
    </li>
  );
}

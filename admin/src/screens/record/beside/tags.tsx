import { t } from '../../../base/i18n.ts';
import { addTag, hasMarks, removeTag, tagsIn } from '../../../data/marks.ts';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { TagPicker } from '../../../widgets/tag-picker.tsx';
import { Adding } from './adding.tsx';
import { Chips } from './chips.tsx';
import { Part, type RailPartProps } from './rail-part.tsx';
import { useMark } from './use-mark.ts';

/** The tags of the document. Changing them takes the right to write it. */
export function TagsPart({ bundle, doc, rights, refresh }: RailPartProps) {
  const { change, isBusy, error } = useMark(refresh);
  const canTag = rights.has('write');
  const tags = tagsIn(doc['_user_tags']);
  if (!hasMarks(bundle.meta) || (tags.length === 0 && !canTag)) return null;
  const add = (tag: string) => change(() => addTag(doc, tag), t('Tag {tag} added', { tag }));
  const remove = (tag: string) => change(() => removeTag(doc, tag), t('Tag {tag} removed', { tag }));
  return (
    <Part title={t('Tags')}>
      <Chips
        label={t('Tags')}
        chips={tags.map((tag) => ({
          id: tag,
          text: tag,
          removal: canTag ? { label: t('Remove the tag {tag}', { tag }), run: () => remove(tag) } : null,
        }))}
      />
      {error !== null && <ErrorPanel error={error} />}
      {canTag && (
        <Adding label={t('Add a tag')}>
          <TagPicker doctype={doc.doctype} label={t('Tag')} taken={tags} isBusy={isBusy} onPick={add} />
        </Adding>
      )}
    </Part>
  );
}

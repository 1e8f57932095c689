import { t } from '../../../base/i18n.ts';
import { useUser } from '../../../data/boot.ts';
import { assign, hasMarks, unassign, usersIn } from '../../../data/marks.ts';
import { Button } from '../../../widgets/button.tsx';
import { DocumentPicker } from '../../../widgets/document-picker.tsx';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { Adding } from './adding.tsx';
import { Chips, UserName } from './chips.tsx';
import { Part, type RailPartProps } from './rail-part.tsx';
import { useMark } from './use-mark.ts';

/** The users that work on the document. Each of its readers can change them. */
export function AssignedPart({ bundle, doc, refresh }: RailPartProps) {
  const me = useUser().name;
  const { change, isBusy, error } = useMark(refresh);
  if (!hasMarks(bundle.meta)) return null;
  const users = usersIn(doc['_assign']);
  const add = (user: string) => {
    if (user !== '' && !users.includes(user))
      change(() => assign(doc, user), t('Assigned to {name}', { name: user }));
  };
  const remove = (user: string) =>
    change(() => unassign(doc, user), t('{name} is no longer assigned', { name: user }));
  return (
    <Part title={t('Assigned to')}>
      <Chips
        label={t('Assigned to')}
        chips={users.map((user) => ({
          id: user,
          text: <UserName user={user} />,
          removal: { label: t('Remove the assignment to {name}', { name: user }), run: () => remove(user) },
        }))}
      />
      {error !== null && <ErrorPanel error={error} />}
      <Adding
        label={t('Assign')}
        others={
          !users.includes(me) && (
            <Button kind="quiet" icon="user" isBusy={isBusy} onClick={() => add(me)}>
              {t('Assign to me')}
            </Button>
          )
        }
      >
        <DocumentPicker doctype="User" autoFocus label={t('Assign to')} value="" onChange={add} />
      </Adding>
    </Part>
  );
}

import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useBoot } from '../../data/boot.ts';
import { Card, Row, Stack } from '../../widgets/layout.tsx';
import { RowCount } from '../doctypes/row-count.tsx';
import css from './home.module.css';
import { workedDoctypes } from './worked-doctypes.ts';

/** The doctypes that the user works with, with their numbers of records. */
export function OwnDoctypes() {
  const boot = useBoot();
  const names = workedDoctypes(boot);
  if (names.length === 0) return null;
  return (
    <Card label={t('Doctypes')}>
      <Stack gap={2}>
        <Row isApart>
          <h2>{t('Doctypes')}</h2>
          <PathLink to={paths.doctypes()}>{t('All doctypes')}</PathLink>
        </Row>
        <ul className={css['recent']}>
          {names.map((name) => {
            const doctype = boot.doctypes.get(name);
            return (
              <li key={name}>
                <PathLink to={paths.list(name)}>{t(name)}</PathLink>
                {doctype && <RowCount doctype={doctype} />}
              </li>
            );
          })}
        </ul>
      </Stack>
    </Card>
  );
}

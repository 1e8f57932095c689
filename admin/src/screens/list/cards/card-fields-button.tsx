import { useState } from 'react';
import { t } from '../../../base/i18n.ts';
import type { Field } from '../../../meta/meta.ts';
import { Button } from '../../../widgets/button.tsx';
import { Popover } from '../../../widgets/popover.tsx';
import { columnsOfFields } from '../chooser-columns.ts';
import { ColumnChooser } from '../column-chooser.tsx';

/** Chooses the values that cards show below their title. */
export function CardFieldsButton({
  fields,
  shown,
  onChange,
}: {
  readonly fields: readonly Field[];
  readonly shown: readonly Field[];
  readonly onChange: (names: readonly string[] | null) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover
      label={t('Card fields')}
      isOpen={isOpen}
      onClose={() => setOpen(false)}
      target={
        <Button icon="columns" onClick={() => setOpen(!isOpen)}>
          {t('Card fields')}
        </Button>
      }
    >
      {isOpen && (
        <ColumnChooser
          columns={columnsOfFields(fields)}
          shown={shown.map(({ fieldname }) => fieldname)}
          onChange={onChange}
        />
      )}
    </Popover>
  );
}

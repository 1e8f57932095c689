import { useQueries } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { RIGHT_NAMES, useUser } from '../../data/boot.ts';
import { defaultsOf } from '../../form/defaults.ts';
import { RecordModel } from '../../form/record.ts';
import { RecordForm } from '../../form/record-form.tsx';
import { ChildGrid } from '../../grid/child-grid.tsx';
import { isTable } from '../../meta/fieldtypes.ts';
import { type Meta, metaOf } from '../../meta/meta.ts';
import { metaQuery } from '../../meta/use-meta.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import css from './designer.module.css';
import { useDesigned } from './designer-context.ts';
import { childrenOf, type Draft, definitionOf } from './draft.ts';

/** The preview follows after a pause in typing, in milliseconds. */
const PAUSE = 250;

/** The form of the draft, with the real controls. Nothing that is typed there is stored. */
export function Preview() {
  const draft = useSettled(useDesigned((state) => state.draft));
  const user = useUser();
  const bundle = useBundle(draft);
  const model = useMemo(
    () =>
      new RecordModel({
        bundle,
        stored: null,
        values: defaultsOf(bundle.meta, user),
        rights: new Set(RIGHT_NAMES),
      }),
    [bundle, user],
  );
  if (draft.fields.length === 0) {
    return <EmptyState icon="eye" title={t('Nothing to show yet')} />;
  }
  return (
    <section className={css['preview']} aria-label={t('Preview of the form')}>
      <RecordForm key={String(serialOf(model))} model={model} Table={ChildGrid} isPreview />
    </section>
  );
}

function useSettled(draft: Draft): Draft {
  const [settled, setSettled] = useState(draft);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(draft), PAUSE);
    return () => clearTimeout(timer);
  }, [draft]);
  return settled;
}

function useBundle(draft: Draft) {
  const meta = useMemo(() => metaOf(definitionOf(draft)), [draft]);
  const made = useMemo(() => childrenOf(draft).map((child) => metaOf(child)), [draft]);
  const isMade = (name: string) => made.some((child) => child.name === name);
  const wanted = meta.fields.filter(
    ({ fieldtype, options }) => isTable(fieldtype) && options && !isMade(options),
  );
  const names = [...new Set(wanted.map(({ options }) => options))];
  const loaded = useQueries({
    queries: names.map((name) => metaQuery(name)),
    combine: (results) => results.flatMap(({ data }) => (data ? [data.meta] : [])),
  });
  return useMemo(() => {
    const children = new Map<string, Meta>([...loaded, ...made].map((child) => [child.name, child]));
    return { meta, children };
  }, [meta, made, loaded]);
}

const serials = new WeakMap<RecordModel, number>();
let last = 0;

// A form keeps its controls for one model; another one begins anew.
function serialOf(model: RecordModel): number {
  let serial = serials.get(model);
  if (serial === undefined) {
    last += 1;
    serial = last;
    serials.set(model, serial);
  }
  return serial;
}

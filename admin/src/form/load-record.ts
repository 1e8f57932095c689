import { useEffect, useState } from 'react';
import { readMethod } from '../data/api.ts';
import type { Boot, BootUser, RightName } from '../data/boot.ts';
import { knownBoot } from '../data/boot.ts';
import { type Doc, readDocument } from '../data/documents.ts';
import { send } from '../data/wire.ts';
import { loadMeta } from '../meta/use-meta.ts';
import { defaultsOf } from './defaults.ts';
import type { Values } from './doc-values.ts';
import { RecordModel } from './record.ts';

/** Loads a document for its form. */
export async function openRecord(doctype: string, name: string, signal?: AbortSignal): Promise<RecordModel> {
  const options = signal ? { signal } : {};
  const [bundle, stored, { permissions }] = await Promise.all([
    loadMeta(doctype),
    readDocument(doctype, name, options),
    readMethod<{ permissions: Partial<Record<RightName, unknown>> }>(
      'frappe.client.get_doc_permissions',
      { doctype, docname: name },
      options,
    ),
  ]);
  const rights = Object.entries(permissions).flatMap(([right, has]) => (has ? [right as RightName] : []));
  return new RecordModel({ bundle, stored, rights: new Set(rights) });
}

/** Initial values of a new document besides its defaults. */
export interface NewRecord {
  readonly doctype: string;
  readonly user: BootUser;
  readonly values: Values;
  /** The document to copy. */
  readonly copyOf: string | null;
}

/** Starts a new document. */
export async function newRecord(
  { doctype, user, values, copyOf }: NewRecord,
  signal?: AbortSignal,
): Promise<RecordModel> {
  const bundle = await loadMeta(doctype);
  const known = copyOf === null ? defaultsOf(bundle.meta, user) : await readCopy(doctype, copyOf, signal);
  const given = Object.entries(values).filter(
    ([name]) => name === 'name' || bundle.meta.fieldByName.has(name),
  );
  return new RecordModel({
    bundle,
    stored: null,
    values: { ...known, ...Object.fromEntries(given) },
    rights: rightsOnDoctype(knownBoot(), doctype),
  });
}

function rightsOnDoctype(boot: Boot | null, doctype: string): ReadonlySet<RightName> {
  return boot?.doctypes.get(doctype)?.rights ?? new Set();
}

// Copies like the server: omits no-copy fields and fields that the user may not write.
async function readCopy(doctype: string, name: string, signal?: AbortSignal): Promise<Values> {
  const path = `/api/v2/document/${encodeURIComponent(doctype)}/${encodeURIComponent(name)}/copy`;
  const { body } = await send('GET', path, signal ? { signal } : {});
  const { docstatus: _docstatus, ...fields } = (body as { data: Doc }).data as Readonly<
    Record<string, unknown>
  >;
  const set = Object.entries(fields).filter(
    ([key, value]) => value !== null && !key.startsWith('__') && key !== 'doctype' && key !== 'name',
  );
  return Object.fromEntries(set);
}

/** The state of loading a record: pending, loaded or failed. */
export interface Loading {
  readonly model: RecordModel | null;
  readonly error: unknown;
  readonly retry: () => void;
}

/**
 * Loads a record for a component, and again when `key` changes. It bypasses the query cache: a refresh would
 * overwrite edits. After loading, the model owns the values.
 */
export function useRecord(key: string, open: (signal: AbortSignal) => Promise<RecordModel>): Loading {
  const [state, setState] = useState<{ key: string; model: RecordModel | null; error: unknown }>({
    key,
    model: null,
    error: null,
  });
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `key` or `attempt` means a reload
  useEffect(() => {
    const control = new AbortController();
    setState((before) =>
      before.key === key && before.error === null ? before : { key, model: null, error: null },
    );
    open(control.signal).then(
      (model) => !control.signal.aborted && setState({ key, model, error: null }),
      (error: unknown) => !control.signal.aborted && setState({ key, model: null, error }),
    );
    return () => control.abort();
  }, [key, attempt]);
  const isCurrent = state.key === key;
  return {
    model: isCurrent ? state.model : null,
    error: isCurrent ? state.error : null,
    retry: () => setAttempt((before) => before + 1),
  };
}

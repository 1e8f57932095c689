import { useEffect, useRef, useState } from 'react';
import { useViews } from '../../../data/events.ts';
import { BEAT, leave, type Viewers, view } from '../../../data/viewers.ts';

const NOBODY: Viewers = { viewers: [], count: 0 };
/** Milliseconds: a form that is only passed by is not announced. */
const SETTLE = 1_000;
/** Milliseconds: many viewers do not ask at the same moment. */
const SPREAD = 500;

/** The others who view a document, while its form is visible. */
export function useViewers(doctype: string, name: string): Viewers {
  const [viewers, setViewers] = useState(NOBODY);
  const [asked, ask] = useState(0);
  const isHere = useRef(false);
  useViews((change) => {
    if (change.doctype === doctype && change.name === name) ask((times) => times + 1);
  });
  useEffect(() => {
    if (asked === 0) return;
    const timer = setTimeout(() => {
      if (isHere.current) view(doctype, name).then(setViewers, () => undefined);
    }, Math.random() * SPREAD);
    return () => clearTimeout(timer);
  }, [asked, doctype, name]);
  useEffect(() => {
    isHere.current = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const beat = () => {
      isHere.current = true;
      view(doctype, name).then(
        (now) => isHere.current && setViewers(now),
        () => undefined,
      );
      timer = setTimeout(beat, BEAT);
    };
    const go = () => {
      clearTimeout(timer);
      if (isHere.current) leave(doctype, name);
      isHere.current = false;
    };
    const look = () => {
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(beat, SETTLE);
      else go();
    };
    look();
    document.addEventListener('visibilitychange', look);
    addEventListener('pagehide', go);
    return () => {
      document.removeEventListener('visibilitychange', look);
      removeEventListener('pagehide', go);
      go();
      setViewers(NOBODY);
    };
  }, [doctype, name]);
  return viewers;
}

import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { isRightToLeft, useLanguage } from '../base/i18n.ts';
import { useStore } from '../base/store.ts';
import { usePart } from '../base/use-part.ts';
import { queryClient } from '../data/query-client.ts';
import { sessionState } from '../data/session.ts';
import { WidgetProvider } from '../widgets/provider.tsx';
import { ToastList } from '../widgets/toast-list.tsx';
import { LiveRegions } from './live-regions.tsx';
import { makeRouter } from './router.tsx';
import { StatusBars } from './status-bars.tsx';

const loadSignInAgain = async () => (await import('./sign-in-again.tsx')).SignInAgain;

/** The whole page. A change of language remounts everything. */
export function App() {
  const language = useLanguage();
  return <Everything key={language} isRtl={isRightToLeft(language)} />;
}

function Everything({ isRtl }: { readonly isRtl: boolean }) {
  const [router] = useState(makeRouter);
  const isLost = useStore(sessionState) === 'lost';
  const SignInAgain = usePart(isLost, loadSignInAgain);
  return (
    <QueryClientProvider client={queryClient}>
      <WidgetProvider isRightToLeft={isRtl}>
        <StatusBars />
        <RouterProvider router={router} />
        {SignInAgain && isLost && <SignInAgain />}
        <ToastList />
        <LiveRegions />
      </WidgetProvider>
    </QueryClientProvider>
  );
}

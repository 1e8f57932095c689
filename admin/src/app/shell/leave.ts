import { BASE, paths } from '../../base/paths.ts';
import { signOut } from '../../data/sign-in.ts';
import { tellFailure } from '../../widgets/error-panel.tsx';

/** Signs out. The page is loaded anew, so that nothing of the one who left stays in memory. */
export async function leave(): Promise<void> {
  try {
    await signOut();
    location.assign(`${BASE}${paths.login()}`);
  } catch (error) {
    tellFailure(error);
  }
}

import { BASE, paths } from '../../base/paths.ts';
import { signOut } from '../../data/sign-in.ts';
import { tellFailure } from '../../widgets/error-panel.tsx';

/** Signs out. A full page load removes the user's data from memory. */
export async function leave(): Promise<void> {
  try {
    await signOut();
    location.assign(`${BASE}${paths.login()}`);
  } catch (error) {
    tellFailure(error);
  }
}

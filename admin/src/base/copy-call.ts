import { type ApiCall, curlOf } from './api-call.ts';
import { t } from './i18n.ts';
import { toast } from './toasts.ts';

/** Copies a request as a curl command. The message leads to the API reference with the same request. */
export async function copyCall(call: ApiCall, openReference: () => void): Promise<void> {
  const line = curlOf(location.origin, call);
  const action = { label: t('Open in the API reference'), run: openReference };
  try {
    await navigator.clipboard.writeText(line);
    toast('success', t('API call copied'), { action, isLasting: false });
  } catch {
    toast('error', t('The browser blocked copying. Select the text instead'), { detail: line, action });
  }
}

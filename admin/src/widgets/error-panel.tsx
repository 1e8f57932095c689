import { t, tn } from '../base/i18n.ts';
import { hrefOf, paths } from '../base/paths.ts';
import { toast } from '../base/toasts.ts';
import { isApiError } from '../data/api-error.ts';
import { knownBoot } from '../data/boot.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Alert } from './feedback.tsx';
import { Muted, Row, Stack } from './layout.tsx';

interface ErrorPanelProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** The heading where the server refused what the user did. */
  readonly refused?: string;
}

/** An error with its message, remedy and request ID. */
export function ErrorPanel({ error, onRetry, refused }: ErrorPanelProps) {
  return (
    <Alert tone="danger" title={titleOf(error, refused)}>
      <Stack gap={2}>
        {messagesOf(error).map((message) => (
          <span key={message}>{message}</span>
        ))}
        {isApiError(error) && error.retryAfter !== null && (
          <span>{tn(error.retryAfter, 'Try again in {count} second.', 'Try again in {count} seconds.')}</span>
        )}
        {isApiError(error) && error.requestId !== '' && (
          <RequestLine id={error.requestId} status={error.status} />
        )}
        {onRetry && canHelp(error) && (
          <span>
            <Button icon="refresh" onClick={onRetry}>
              {t('Try again')}
            </Button>
          </span>
        )}
      </Stack>
    </Alert>
  );
}

// The server remembers its own failures, and System Managers may see them. The panel also stands outside of
// the router, so this is a plain link.
function RequestLine({ id, status }: { readonly id: string; readonly status: number }) {
  const mayLook = status >= 500 && knownBoot()?.user?.isSystemManager;
  return (
    <Row gap={1}>
      <Muted isSmall>
        {mayLook ? (
          <a href={hrefOf(paths.system('errors', { request: id }))}>
            {t('Find the cause: request {id}', { id })}
          </a>
        ) : (
          t('Request {id}', { id })
        )}
      </Muted>
      <CopyButton isSmall text={id} label={t('Copy the request ID')} />
    </Row>
  );
}

// The same request fails again where the server understood and refused it.
function canHelp(error: unknown): boolean {
  return !isApiError(error) || error.status < 400 || error.status === 429 || error.status >= 500;
}

/** Messages of an error, one per problem. */
export function messagesOf(error: unknown): readonly string[] {
  if (isApiError(error))
    return error.type === 'ConnectionError' ? [t('The server did not answer')] : error.messages;
  return [t('This page has an error. See the browser console for details.')];
}

/** Shows an error as a toast, where a panel has no room. */
export function tellFailure(error: unknown): void {
  toast('error', messagesOf(error).join(' '));
}

function titleOf(error: unknown, refused = t('Something went wrong')): string {
  if (!isApiError(error)) return t('Something went wrong');
  if (error.status === 0) return t('No connection');
  if (error.status === 403) return t('Not permitted');
  if (error.status === 404) return t('Not found');
  if (error.status === 429) return t('Too many requests');
  if (error.status >= 500) return t('Server error');
  return refused;
}

import { errorCode } from '../kernel/error-code.ts';
import { StartError } from '../site/start-error.ts';

/** Says why a server cannot listen at an address. `other` is a flag with another port. Any other error stays. */
export function listenError(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
  other: string,
): unknown {
  const code = errorCode(error);
  if (code === 'EADDRINUSE')
    return new StartError(`Port ${port} of ${host} is in use. Choose another: ${other}`);
  if (code === 'EACCES') return new StartError(`This user may not listen on port ${port} of ${host}.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(`${host} is not an address of this machine.`);
  return error;
}

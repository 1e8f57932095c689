import type { Config } from '../../config/config.ts';
import { version } from '../../config/version.ts';
import type { Telemetry } from '../../observe/telemetry.ts';
import { StartError } from '../start-error.ts';
import type { Undos } from './undos.ts';

/**
 * What sends telemetry to the collector of the configuration; null without one. Nothing of it is loaded then.
 * @throws StartError when the packages for it are missing
 */
export async function openTelemetry(
  { telemetry: { endpoint, percent } }: Config,
  worker: number | null,
  undos: Undos,
): Promise<Telemetry | null> {
  if (endpoint === null) return null;
  const { startTelemetry } = await import('../../observe/telemetry.ts');
  try {
    const telemetry = await startTelemetry({ endpoint, percent, version: version(), worker });
    undos.add(() => telemetry.stop());
    return telemetry;
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

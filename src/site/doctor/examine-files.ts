import type { Database } from '../../db/database.ts';
import { isMost } from '../../file/collect-orphans.ts';
import { quarantineFigures } from '../../file/quarantine.ts';
import { sampleObjects } from '../../file/sample-objects.ts';
import { type FilesOfSite, refuseStrangeFiles } from '../start/bind-files.ts';
import { messageOf } from '../why-unusable.ts';
import type { Finding } from './finding.ts';

const check = 'files';

/** Checks that the stored files belong to the database, and reports the quarantine. */
export async function examineFiles(files: FilesOfSite, database: Database): Promise<Finding[]> {
  const why = await refuseStrangeFiles(files, database).then(() => null, messageOf);
  if (why !== null) return [{ check, state: 'problem', message: why }];
  const sample = await sampleObjects(database.reader, files.storage);
  const findings: Finding[] = [];
  if (isMost(sample)) {
    findings.push({
      check,
      state: 'problem',
      message: `The database does not know ${sample.unknown} of ${sample.known + sample.unknown} stored objects, so none is collected`,
      remedy: 'restore the right database; if these files are not needed: chancery files adopt --set-aside',
    });
  }
  const { unknown, deleted } = await quarantineFigures(database.reader);
  if (unknown.objects > 0) {
    findings.push({
      check,
      state: 'advice',
      message: `${unknown.objects} objects (${unknown.bytes} bytes) that belong to no file are in quarantine`,
      remedy: 'was the database restored? The quarantine deletes them after seven days',
    });
  }
  if (findings.length > 0) return findings;
  return [
    {
      check,
      state: 'ok',
      message: `The stored files belong to the database; ${deleted.objects} deleted ones are in quarantine`,
    },
  ];
}

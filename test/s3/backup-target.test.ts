import { after, before, describe } from 'node:test';
import { openTarget } from '../../src/backup/store/open-target.ts';
import type { Target } from '../../src/backup/store/target.ts';
import { parseFilesPlace } from '../../src/config/files-place.ts';
import { NO_S3, newBucket, type S3Server, startS3 } from '../support/s3.ts';
import { targetConformance } from '../target-conformance.ts';

describe('backups on S3', { skip: NO_S3 }, () => {
  let server: S3Server;
  let url: string;
  const opened: Target[] = [];

  before(async () => {
    server = await startS3();
    url = await newBucket(server);
  });
  after(async () => {
    for (const target of opened) target.close();
    await server?.stop();
  });

  targetConformance('on S3', async () => {
    const target = await openTarget(parseFilesPlace(url, '/'), () => {});
    opened.push(target);
    return target;
  });
});

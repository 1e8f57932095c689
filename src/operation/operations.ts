import { attachOperations } from './attach-file.ts';
import { bulkOperations } from './bulk.ts';
import { doctypeOperations } from './doctypes.ts';
import { fileLinkOperations } from './file-link.ts';
import { folderOperations } from './folders.ts';
import { formOperations } from './forms.ts';
import { globalSearchOperations } from './global-search.ts';
import { grantOperations } from './grants.ts';
import { importOperations } from './imports.ts';
import { linkOperations } from './links.ts';
import { loadOperations } from './loads.ts';
import type { Operation } from './operation.ts';
import { permissionManagerOperations } from './permission-manager.ts';
import { permissionOperations } from './permissions.ts';
import { pingOperations } from './ping.ts';
import { printOperations } from './print.ts';
import { readingOperations } from './reading.ts';
import { searchOperations } from './search.ts';
import { systemOperations } from './system/operations.ts';
import { unzipOperations } from './unzip.ts';
import { uploadOperations } from './uploads.ts';
import { userOperations } from './users.ts';
import { writingOperations } from './writing.ts';

/** Every built-in operation that is independent of HTTP. */
export const OPERATIONS: readonly Operation[] = [
  ...pingOperations,
  ...readingOperations,
  ...writingOperations,
  ...userOperations,
  ...grantOperations,
  ...permissionOperations,
  ...permissionManagerOperations,
  ...linkOperations,
  ...bulkOperations,
  ...doctypeOperations,
  ...loadOperations,
  ...formOperations,
  ...printOperations,
  ...searchOperations,
  ...globalSearchOperations,
  ...systemOperations,
  ...attachOperations,
  ...uploadOperations,
  ...fileLinkOperations,
  ...folderOperations,
  ...unzipOperations,
  ...importOperations,
];

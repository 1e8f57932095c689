import { attachMethods } from './attach-file.ts';
import { bootMethods } from './boot-method.ts';
import type { BuiltIns } from './built-in.ts';
import { bulkMethods } from './bulk-methods.ts';
import { fileLinkMethods } from './file-link.ts';
import { folderMethods } from './folder-methods.ts';
import { formMethods } from './form-methods.ts';
import { grantMethods } from './grant-methods.ts';
import { keyLoginMethods } from './key-login.ts';
import { linkMethods } from './link-methods.ts';
import { passwordMethods } from './password-methods.ts';
import { pingMethods } from './ping.ts';
import { readMethods } from './read-methods.ts';
import { searchMethods } from './search-methods.ts';
import { secondFactorMethods } from './second-factor-methods.ts';
import { sessionMethods } from './session-methods.ts';
import { unzipMethods } from './unzip-method.ts';
import { uploadMethods } from './upload-methods.ts';
import { userMethods } from './user-methods.ts';
import { writeMethods } from './write-methods.ts';

/** Every method of our own, by its name under `/api/method/`; `upload_file` has a route of its own. */
export const BUILT_INS: BuiltIns = {
  ...pingMethods,
  ...bootMethods,
  ...sessionMethods,
  ...keyLoginMethods,
  ...passwordMethods,
  ...secondFactorMethods,
  ...grantMethods,
  ...readMethods,
  ...writeMethods,
  ...userMethods,
  ...linkMethods,
  ...bulkMethods,
  ...formMethods,
  ...searchMethods,
  ...attachMethods,
  ...uploadMethods,
  ...fileLinkMethods,
  ...folderMethods,
  ...unzipMethods,
};

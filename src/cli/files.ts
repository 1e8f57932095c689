import { type Command, type Invocation, requireWord, runAction } from './command.ts';
import { adoptFiles } from './files-adopt.ts';
import { checkStoredFiles } from './files-check.ts';
import { moveFiles } from './files-move.ts';
import { restoreStoredFiles } from './files-restore.ts';

export const filesCommand: Command = {
  help: 'verify stored files, move them, bind them to a restored database, or bring deleted ones back',
  usage: [
    'check',
    'move <path or s3://bucket/prefix>',
    'adopt [--yes] [--set-aside]',
    'restore [<file>] [--all]',
  ],
  run: (invocation) => runAction(ACTIONS, invocation),
};

const ACTIONS: Readonly<Record<string, (invocation: Invocation) => Promise<number>>> = {
  check: checkStoredFiles,
  move: (invocation) => moveFiles(invocation, requireWord(invocation.words, 1, 'the new place')),
  adopt: adoptFiles,
  restore: restoreStoredFiles,
};

import { type Command, requireWord, UsageError } from './command.ts';
import { checkStoredFiles } from './files-check.ts';
import { moveFiles } from './files-move.ts';

export const filesCommand: Command = {
  help: 'check stored files against what was stored, or copy them to another place',
  usage: ['check', 'move <path or s3://bucket/prefix>'],
  async run(invocation) {
    const action = requireWord(invocation.words, 0, 'check or move');
    if (action === 'check') return checkStoredFiles(invocation);
    if (action === 'move') return moveFiles(invocation, requireWord(invocation.words, 1, 'the new place'));
    throw new UsageError(`files ${action} is not a command: check or move`);
  },
};

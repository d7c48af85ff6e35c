/** The operator's commands for saved results of the public tools, which anyone who has the link can read. */
import { SHARE_ID } from '../../shared/store/shares.ts';
import { CommandError } from '../terminal/command-line.ts';
import type { Command, ShareKind } from './command.ts';
import { required } from './required.ts';

const kinds: readonly ShareKind[] = ['spf', 'check'];

/** Commands by their words: `share delete`. */
export const shareCommands: Readonly<Record<string, Command>> = {
  async 'share delete'([kind, id], _options, { shares }) {
    const known = readKind(required(kind, 'the kind of the saved result (spf or check)'));
    const shareId = required(id, 'the id of the saved result');
    if (!SHARE_ID.test(shareId)) throw new CommandError(`not the id of a saved result: ${shareId}`);
    if (!(await shares[known].remove(shareId)))
      throw new CommandError(`saved result not found: /s/${known}/${shareId}`);
    return [`deleted /s/${known}/${shareId}`];
  },
};

function readKind(text: string): ShareKind {
  const kind = kinds.find((one) => one === text);
  if (kind === undefined)
    throw new CommandError(`no such kind of saved results: ${text}; there is ${kinds.join(', ')}`);
  return kind;
}

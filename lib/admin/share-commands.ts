/** The operator's commands for saved results of the public tools, which anyone who has the link can read. */
import { deleteShare, operation } from '../../shared/operations/shares/delete-share.ts';
import type { Command } from './command.ts';
import { accepted, inputFor } from './perform.ts';
import { required } from './required.ts';

/** Commands by their words: `share delete`. */
export const shareCommands: Readonly<Record<string, Command>> = {
  async 'share delete'([kind, id], _options, deps) {
    const input = inputFor(operation.input, {
      kind: required(kind, 'the kind of the saved result (spf or check)'),
      id: required(id, 'the id of the saved result'),
    });
    accepted(await deleteShare(input, deps));
    return [`deleted /s/${input.kind}/${input.id}`];
  },
};

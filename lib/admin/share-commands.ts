/** The operator's commands for saved results of the public tools, which anyone who has the link can read. */
import { deleteShare, operation } from '../../shared/operations/shares/delete-share.ts';
import type { Commands } from './command.ts';
import { accepted, inputFor } from './perform.ts';

/** Commands by their words: `share delete`. */
export const shareCommands: Commands = {
  'share delete': {
    args: '<kind> <id>',
    says: 'delete a saved result of the SPF checker (spf) or the domain checker (check); <id> is the last part of its link',
    example: 'share delete check Xq3vT0cB1rLk',
    async run([kind, id]: [string, string], _options, deps) {
      const input = inputFor(operation.input, { kind, id });
      accepted(await deleteShare(input, deps));
      return [`deleted /s/${input.kind}/${input.id}`];
    },
  },
};

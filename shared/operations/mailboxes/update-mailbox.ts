import { signInOf } from '../../api/mailbox-sign-in.ts';
import { mailboxPath, problemsOf, updateMailboxBody } from '../../api/mailboxes.ts';
import type { MailboxConnections } from '../../mailboxes/open.ts';
import type { Clock } from '../../network/ports.ts';
import { untilUncontended } from '../../store/contention.ts';
import type { FetchedMailboxStore, Mailbox, MailboxSecretStore } from '../../store/fetched-mailboxes.ts';
import type { RateStore } from '../../store/rates/rates.ts';
import { changesBetween } from '../changes.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid, Refused } from '../outcome.ts';
import { countConnection, mailboxSubjectOf, onMailbox, requireWorking, versionOf } from './on-mailbox.ts';

export const operation = {
  name: 'updateMailbox',
  summary: 'Change how a mailbox is read and signed in to, or pause it',
  description:
    'What is absent stays as it is. A new sign-in is tried first. Another folder is read from its beginning. The next run starts within a minute.',
  scope: 'write',
  on: mailboxPath,
  input: updateMailboxBody,
  refusals: ['invalid_request', 'not_found', 'precondition_failed', 'rate_limited'],
  uses: ['fetched-mailboxes:write', 'mailbox-secrets:write', 'dns'],
} as const satisfies Operation;

export interface UpdateMailboxDependencies extends MailboxConnections {
  readonly mailboxes: Pick<FetchedMailboxStore, 'get'>;
  readonly secrets: Pick<MailboxSecretStore, 'change'>;
  readonly rates: Pick<RateStore, 'consume'>;
  readonly clock: Clock;
}

export async function updateMailbox(
  caller: CallerOf<typeof operation>,
  { id, signIn: given, ...change }: InputOf<typeof operation>,
  deps: UpdateMailboxDependencies,
): Promise<OutcomeOf<typeof operation, Mailbox>> {
  const { rates, clock, secrets } = deps;
  const wanted = given && signInOf(given);
  let secret = wanted?.secret;
  const next = (before: Mailbox) => {
    const after = change.after ?? before.after;
    // The folder to which mails were moved means nothing for what else happens to them.
    const unchanged = after === 'move' ? before.moveTo : null;
    const moveTo = change.moveTo === undefined ? unchanged : change.moveTo;
    return {
      name: change.name ?? before.name,
      signIn: wanted?.signIn ?? before.signIn,
      folder: change.folder ?? before.folder,
      ...{ after, moveTo },
      everySeconds: change.everySeconds ?? before.everySeconds,
      paused: change.paused ?? before.paused,
    };
  };
  const tried = await onMailbox(
    caller,
    id,
    deps,
    async (before): Promise<Refused<(typeof operation)['refusals'][number]> | undefined> => {
      if (!caller.isCurrent(versionOf(before))) return new Refused('precondition_failed');
      const [first, ...others] = problemsOf({ ...before, ...next(before) });
      if (first !== undefined) return invalid(first, ...others);
      if (secret === undefined) return undefined;
      const refused = await countConnection(rates, caller.organization, clock.now());
      if (refused !== undefined) return refused;
      const working = await requireWorking({ ...before, ...next(before) }, secret, deps);
      if (working instanceof Refused) return working;
      secret = working;
      return undefined;
    },
  );
  if (tried instanceof Refused) return tried;
  return untilUncontended(() =>
    onMailbox(caller, id, deps, async (before): Promise<OutcomeOf<typeof operation, Mailbox> | undefined> => {
      if (!caller.isCurrent(versionOf(before))) return new Refused('precondition_failed');
      const changed = await secrets.change(before, next(before), secret, clock.now());
      return (
        changed && {
          value: changed,
          version: versionOf(changed),
          subjects: [
            { ...mailboxSubjectOf(changed), changes: changesOf(before, changed, secret !== undefined) },
          ],
        }
      );
    }),
  );
}

/** The settings that differ; of what signs in, only that it is another one. */
const changesOf = (before: Mailbox, after: Mailbox, hasNewSecret: boolean) =>
  changesBetween(
    { ...shownOf(before), secret: 'kept' },
    { ...shownOf(after), secret: hasNewSecret ? 'new' : 'kept' },
  );

const shownOf = ({ name, signIn, folder, after, moveTo, everySeconds, paused }: Mailbox) => ({
  ...{ name, signIn, folder, after, moveTo, everySeconds, paused },
});

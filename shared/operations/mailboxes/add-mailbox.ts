import { signInOf } from '../../api/mailbox-sign-in.ts';
import { mailboxBody, settingsOf } from '../../api/mailboxes.ts';
import type { MailboxConnections } from '../../mailboxes/open.ts';
import type { Clock } from '../../network/ports.ts';
import type { FetchedMailboxStore, Mailbox, MailboxSecretStore } from '../../store/fetched-mailboxes.ts';
import type { RateStore } from '../../store/rates/rates.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid, Refused } from '../outcome.ts';
import { countConnection, mailboxSubjectOf, requireWorking, versionOf } from './on-mailbox.ts';

/** Each is read by a worker of its own, many times a day. */
const MOST_MAILBOXES = 50;

export const operation = {
  name: 'addMailbox',
  summary: 'Add a mailbox from which reports are fetched, after signing in to it',
  description: `An organization has at most ${MOST_MAILBOXES}. The first run starts within a minute.`,
  scope: 'write',
  input: mailboxBody,
  refusals: ['invalid_request', 'rate_limited'],
  uses: ['fetched-mailboxes:write', 'mailbox-secrets:write', 'dns'],
} as const satisfies Operation;

export interface AddMailboxDependencies extends MailboxConnections {
  readonly mailboxes: Pick<FetchedMailboxStore, 'list'>;
  readonly secrets: Pick<MailboxSecretStore, 'add'>;
  readonly rates: Pick<RateStore, 'consume'>;
  readonly clock: Clock;
}

/** Signs in and opens the folder first, so that what is stored works. */
export async function addMailbox(
  { organization }: CallerOf<typeof operation>,
  given: InputOf<typeof operation>,
  { mailboxes, secrets, rates, clock, ...connections }: AddMailboxDependencies,
): Promise<OutcomeOf<typeof operation, Mailbox>> {
  const now = clock.now();
  const { signIn, secret } = signInOf(given.signIn);
  const settings = settingsOf(given, signIn);
  if ((await mailboxes.list(organization)).length >= MOST_MAILBOXES)
    return invalid({ path: '', message: `the organization has ${MOST_MAILBOXES} mailboxes already` });
  const refused = await countConnection(rates, organization, now);
  if (refused !== undefined) return refused;
  const working = await requireWorking(settings, secret, connections);
  if (working instanceof Refused) return working;
  const mailbox = await secrets.add(organization, settings, working, now);
  return { value: mailbox, version: versionOf(mailbox), subjects: [mailboxSubjectOf(mailbox)] };
}

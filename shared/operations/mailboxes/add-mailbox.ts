import { mailboxBody, mailboxDefaults, signInOf } from '../../api/mailboxes.ts';
import type { MailboxSettings } from '../../mailboxes/mailbox.ts';
import type { MailboxConnections } from '../../mailboxes/open.ts';
import { explain, type MailboxProblemCode } from '../../mailboxes/problem.ts';
import type { Clock } from '../../network/ports.ts';
import type { FetchedMailboxStore, Mailbox, MailboxSecretStore } from '../../store/fetched-mailboxes.ts';
import type { RateStore } from '../../store/rates/rates.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid } from '../outcome.ts';
import { countConnection, mailboxSubjectOf, tryMailbox } from './on-mailbox.ts';

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
  const { port = mailboxDefaults.ports[given.security], moveTo = null } = given;
  const { signIn, secret } = signInOf(given.signIn);
  const settings: MailboxSettings = { ...given, port, moveTo, signIn };
  if (settings.folder.toLowerCase() === moveTo?.toLowerCase())
    return invalid({ path: 'moveTo', message: 'must be another folder' });
  if ((await mailboxes.list(organization)).length >= MOST_MAILBOXES)
    return invalid({ path: '', message: `the organization has ${MOST_MAILBOXES} mailboxes already` });
  const refused = await countConnection(rates, organization, now);
  if (refused !== undefined) return refused;
  const { error } = await tryMailbox(settings, { secret }, connections);
  if (error !== null) {
    const { code, message, fix } = explain(error);
    const isOfAccount = signIn.kind === 'google-service-account' && code.startsWith('token-');
    const path = isOfAccount ? 'signIn.serviceAccountKey' : (fieldOf[code] ?? 'host');
    return invalid({ path, message: `does not work: ${message}. ${fix}` });
  }
  const mailbox = await secrets.add(organization, settings, { secret }, now);
  return { value: mailbox, subjects: [mailboxSubjectOf(mailbox)] };
}

/** Which field of the input a problem is about; by default the server. */
const fieldOf: Readonly<Partial<Record<MailboxProblemCode, string>>> = {
  'sign-in-refused': 'signIn.password',
  'token-not-accepted': 'user',
  'token-unreachable': 'signIn.tokenUrl',
  'token-tenant': 'signIn.tokenUrl',
  'token-client': 'signIn.clientId',
  'token-client-secret': 'signIn.clientSecret',
  'token-scope': 'signIn.scope',
  'token-refused': 'signIn',
  'folder-not-found': 'folder',
  'folder-read-only': 'after',
  'cannot-remove': 'after',
};

import { mailboxPath, mailboxTestQuery } from '../../api/mailboxes.ts';
import type { MailboxSecret } from '../../mailboxes/mailbox.ts';
import { type MailboxConnections, openMailbox } from '../../mailboxes/open.ts';
import { problem } from '../../mailboxes/problem.ts';
import { type Reach, reachOf, reachTo, untried } from '../../mailboxes/reach.ts';
import type { Clock } from '../../network/ports.ts';
import type { FetchedMailboxStore, Mailbox, MailboxSecretStore } from '../../store/fetched-mailboxes.ts';
import type { RateStore } from '../../store/rates/rates.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { countConnection, onMailbox, REQUEST_MILLISECONDS, type Tried, tryMailbox } from './on-mailbox.ts';

export const operation = {
  name: 'testMailbox',
  summary: 'Sign in to a mailbox and count the mails of its folder, without changing anything',
  scope: 'write',
  on: mailboxPath,
  input: mailboxTestQuery,
  refusals: ['not_found', 'rate_limited'],
  uses: ['fetched-mailboxes:write', 'mailbox-secrets:read', 'mailbox-secrets:write', 'dns'],
} as const satisfies Operation;

export interface TestMailboxDependencies extends MailboxConnections {
  readonly mailboxes: Pick<FetchedMailboxStore, 'get' | 'claim' | 'release'>;
  readonly secrets: Pick<MailboxSecretStore, 'secretOf' | 'replace'>;
  readonly rates: Pick<RateStore, 'consume'>;
  readonly clock: Clock;
}

/** Longer than both attempts. */
const LEASE_SECONDS = 60;

export const testMailbox = (
  caller: CallerOf<typeof operation>,
  { id, other }: InputOf<typeof operation>,
  deps: TestMailboxDependencies,
): Promise<OutcomeOf<typeof operation, Tested>> =>
  onMailbox(caller, id, deps, async (mailbox): Promise<OutcomeOf<typeof operation, Tested>> => {
    const { mailboxes, rates, clock } = deps;
    const refused = await countConnection(rates, caller.organization, clock.now());
    if (refused !== undefined) return refused;
    // Two that use a refresh token at the same time can end it (RFC 9700 section 4.14.2).
    if (mailbox.signIn.kind !== 'oauth2-refresh-token') return { value: await tested(mailbox, other, deps) };
    const lease = await mailboxes.claim(mailbox, clock.now(), LEASE_SECONDS, { evenPaused: true });
    if (lease === undefined) return { value: failed('in-use', 'another run has the mailbox') };
    try {
      return { value: await tested(lease.mailbox, other, deps) };
    } finally {
      await mailboxes.release(lease);
    }
  });

/** How it went, and what the permission opens. */
export type Tested = Tried & { readonly reach: Reach | null };

const failed = (...given: Parameters<typeof problem>): Tested => ({
  ...{ messages: null, error: problem(...given), reach: null },
});

async function tested(
  mailbox: Mailbox,
  other: string | undefined,
  { secrets, ...connections }: TestMailboxDependencies,
): Promise<Tested> {
  const secret = await secrets.secretOf(mailbox);
  if (secret === undefined) return failed('secret-missing', 'what signs in is not stored');
  const keep = (next: MailboxSecret) => secrets.replace(mailbox, next);
  const signal = AbortSignal.timeout(REQUEST_MILLISECONDS);
  const tried = await tryMailbox(mailbox, secret, keep, signal, connections);
  if (tried.error !== null) return { ...tried, reach: null };
  const known = reachOf(mailbox.signIn);
  const isOther = other !== undefined && other.toLowerCase() !== mailbox.user.toLowerCase();
  if (known !== undefined || !isOther) return { ...tried, reach: known ?? untried };
  const attempt = () =>
    openMailbox(
      { ...mailbox, user: other, folder: 'INBOX', after: 'keep' },
      secret,
      keep,
      signal,
      connections,
    );
  return { ...tried, reach: await reachTo(other, attempt) };
}

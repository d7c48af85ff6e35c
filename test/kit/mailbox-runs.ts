/** Mailboxes in a table, and runs of them over given connections. */
import { type RunDependencies, type RunOutcome, runMailbox } from '../../shared/ingest/run-mailbox.ts';
import type { MailboxSecret, MailboxSettings } from '../../shared/mailboxes/mailbox.ts';
import type { MailboxConnections } from '../../shared/mailboxes/open.ts';
import type { Dns } from '../../shared/protocol/dns.ts';
import { reportStores } from '../../shared/runtime/dependencies/report-stores.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import {
  fetchedMailboxStore,
  type Mailbox,
  mailboxSecretStore,
} from '../../shared/store/fetched-mailboxes.ts';
import type { Table } from '../../shared/store/table.ts';
import { changesOn } from './attention.ts';
import { testCipher } from './cipher.ts';
import { registeredDomain } from './reports.ts';

export const LEASE_SECONDS = 330;

const none = (what: string) => () => Promise.reject(new Error(`${what} is not expected`));

/** Connections that nothing may use. */
export const noConnections: MailboxConnections = {
  imap: { open: none('IMAP') },
  graph: { open: none('Microsoft Graph') },
  gmail: { open: none('Gmail') },
  tokens: { tokenFor: none('a token') },
};

const usual = { name: 'Reports', after: 'keep', moveTo: null, everySeconds: 900 } as const;

type Usual = keyof typeof usual;
type OfSource<S> = S extends unknown ? Omit<S, Usual> & Partial<Pick<MailboxSettings, Usual>> : never;

/** Adds a mailbox that nobody reads. */
export const addMailbox = (
  table: Table,
  organization: string,
  now: Date,
  signIn: MailboxSettings['signIn'] = { kind: 'password' },
): Promise<Mailbox> =>
  mailboxSecretStore(table, testCipher).add(
    organization,
    {
      ...{ ...usual, user: 'user', folder: 'INBOX', signIn },
      ...({ source: 'imap', host: 'imap.test', port: 993, security: 'tls' } as const),
    },
    { secret: 'secret' },
    now,
  );

/** An organization with a domain and a mailbox, and what its workers need. */
export async function mailboxIn(
  table: Table,
  given: OfSource<MailboxSettings>,
  secret: MailboxSecret,
  { dns, ...connections }: MailboxConnections & { readonly dns: Dns },
) {
  const domain = await registeredDomain(table, 'example.org');
  const { organization } = domain;
  let now = new Date(Date.now() - 60_000);
  const clock = { now: () => now };
  const settings: MailboxSettings = { ...usual, ...given };
  const { id } = await mailboxSecretStore(table, testCipher).add(organization, settings, secret, now);
  const raw = new Map<string, Uint8Array>();
  const stored: string[] = [];
  /** When the mailbox was queued again. */
  const queued: Date[] = [];
  const run = (
    changed: Partial<MailboxConnections> & {
      readonly on?: Table;
      readonly retentionDays?: number;
      readonly milliseconds?: () => number;
    } = {},
  ): Promise<RunOutcome> => {
    const { on = table, retentionDays = 0, milliseconds = () => 300_000, ...others } = changed;
    const deps: RunDependencies = {
      mailboxes: fetchedMailboxStore(on),
      secrets: mailboxSecretStore(on, testCipher),
      attention: changesOn(on),
      table: on,
      domains: domainStore(on),
      stores: reportStores(on, { retentionDays }),
      raw: { store: async (at, content) => void raw.set(at, content) },
      prefix: 'reports/',
      unauthenticated: 'count',
      onStored: ({ stored: all }) => stored.push(...all.map((one) => one.domain.domain)),
      queueAgain: async () => void queued.push(now),
      ...{ ...connections, ...others, dns, clock },
    };
    return runMailbox({ organization, id }, deps, { milliseconds, leaseSeconds: LEASE_SECONDS });
  };
  const pass = (seconds: number) => {
    now = new Date(now.getTime() + seconds * 1000);
  };
  const state = async () => fetchedMailboxStore(table).get({ organization, id });
  return { domain, organization, id, raw, stored, queued, clock, run, pass, state };
}

export async function reportsIn(table: Table, { id }: Pick<Domain, 'id'>) {
  const { dmarcReports, tlsReports } = reportStores(table, { retentionDays: 0 });
  const all = { window: {}, page: 1, limit: 100 };
  const { reports: dmarc } = await dmarcReports.list(id, all, new Date());
  const { reports: tls } = await tlsReports.list(id, all, new Date());
  return { dmarc, tls };
}

/** The number of DMARC reports of the days of a domain, as it is summed. */
export async function summedIn(table: Table, { id }: Pick<Domain, 'id'>): Promise<number> {
  const { dmarcReports } = reportStores(table, { retentionDays: 0 });
  const days = await dmarcReports.timeline(id, { from: '2020-01-01', to: '2100-01-01' }, new Date());
  return days.reduce((sum, { reports }) => sum + reports, 0);
}

/** What a run of a mailbox asks and notes, for each way in which it can go. */
import { expect, test } from '@jest/globals';
import { type RunDependencies, runMailbox } from '../../../shared/ingest/run-mailbox.ts';
import {
  type Batch,
  FolderProblem,
  type ListedMail,
  type MailFolder,
} from '../../../shared/network/folder-port.ts';
import { TokenProblem } from '../../../shared/network/token-port.ts';
import { noConnections } from '../../kit/mailbox-runs.ts';
import { listed } from '../../kit/recorded-lines.ts';

const now = new Date('2026-03-01T07:00:00.000Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString();
const DAY = 86_400;

interface Given {
  readonly mailbox?: object;
  /** The number of mails of each batch. */
  readonly batches?: readonly number[];
  readonly left?: number;
  /** Thrown by opening the folder, or by fetching mails that have an ID with this text. */
  readonly opening?: Error;
  readonly fetching?: readonly [id: string, error: Error];
  readonly unclaimed?: true;
  readonly secret?: null;
  /** After how many calls the store says that another worker has the mailbox. */
  readonly lostAfter?: number;
  readonly milliseconds?: number;
}

async function runOf(given: Given): Promise<string> {
  const lines: string[] = [];
  let kept = given.lostAfter ?? Number.POSITIVE_INFINITY;
  const told =
    (name: string, result?: unknown) =>
    async (...args: unknown[]) => {
      const [, ...others] = args;
      const text = JSON.stringify(others, (_key, value) => (value instanceof Error ? value.message : value));
      lines.push(`${name} ${text.replaceAll(now.toISOString(), 'now')}`);
      return result;
    };
  const noted =
    (name: string) =>
    async (...args: unknown[]) => {
      await told(name)(...args);
      kept -= 1;
      return kept >= 0;
    };
  const fails = ({ id }: ListedMail) => given.fetching?.[0].split(' ').includes(id) === true;
  const folder: MailFolder = {
    ...{ messages: 9, markRead: async () => {}, move: async () => {}, delete: async () => {} },
    async *batches() {
      for (const [n, count] of (given.batches ?? [1]).entries()) {
        const mails = Array.from({ length: count }, (_, at) => ({ id: `${n}${'abcdefgh'[at]}` }));
        yield { mails, position: { uidValidity: '1', uid: n }, remaining: given.left ?? 0 } satisfies Batch;
      }
    },
    async *fetch(mails) {
      for (const mail of mails) {
        if (fails(mail)) throw given.fetching?.[1];
        yield { ...mail, content: Buffer.from('Subject: Lunch\r\n\r\nAt noon?\r\n'), receivedAt: now };
      }
    },
    close: async () => void lines.push('close'),
  };
  const mailbox = {
    ...{ id: 'm', organization: 'o', name: 'Reports', after: 'keep', moveTo: null, everySeconds: 900 },
    ...{ source: 'graph', user: 'u', folder: 'INBOX', position: null, lastError: null, withheld: {} },
    ...{
      signIn: { kind: 'oauth2-client-credentials', tokenUrl: 'https://t.test/', clientId: 'c', scope: '' },
    },
    ...{ failingSince: null, createdAt: ago(DAY), ...given.mailbox },
  };
  const deps = {
    ...noConnections,
    graph: {
      open: async () => {
        if (given.opening !== undefined) throw given.opening;
        return folder;
      },
    },
    tokens: { tokenFor: async () => ({ access: 'token' }) },
    mailboxes: {
      claim: async () => (given.unclaimed ? undefined : { mailbox }),
      ...{ advance: noted('advance'), finish: noted('finish') },
    },
    secrets: { secretOf: async () => (given.secret === null ? undefined : { secret: 's' }) },
    attention: { openMailbox: told('openMailbox'), mailboxClosings: told('mailboxClosings', [1]) },
    table: { tryTransact: async (writes: unknown) => void lines.push(`write ${JSON.stringify(writes)}`) },
    ...{ domains: {}, clock: { now: () => now }, queueAgain: async () => void lines.push('queue again') },
  };
  const time = { milliseconds: () => given.milliseconds ?? 300_000, leaseSeconds: 330 };
  const outcome = await runMailbox({ organization: 'o', id: 'm' }, deps as unknown as RunDependencies, time);
  const shown = JSON.stringify(outcome, (_key, value) => (value instanceof Error ? value.message : value));
  return [...lines, `-> ${shown}`].map((line) => `  ${line}`).join('\n');
}

const refused = (code: ConstructorParameters<typeof FolderProblem>[0], seconds?: number) =>
  new FolderProblem(code, 'no', seconds);
const failing = (error: Error, more: Given = {}): Given => ({
  fetching: ['1b', error],
  batches: [2, 2],
  ...more,
});
const withheld = (
  error: Error,
  fetching: string,
  since: Record<string, string>,
  more: object = {},
): Given => ({
  ...{ fetching: [fetching, error], batches: [2] },
  mailbox: {
    lastError: { code: 'server-error', detail: 'no' },
    withheld: since,
    failingSince: ago(DAY),
    ...more,
  },
});

const runs: Readonly<Record<string, Given>> = {
  'not due': { unclaimed: true },
  'without what signs in': { secret: null },
  'of no mail': { batches: [] },
  'of mails, of which others are left': { batches: [2], left: 3 },
  'of no mail, though some are left': { batches: [0], left: 1 },
  'at the end of its time': { milliseconds: 45_000 },
  'just before the end of its time': { milliseconds: 45_001 },
  'of a mailbox that failed before': { mailbox: { failingSince: ago(60) } },
  'that another worker takes over': { lostAfter: 0 },
  'that another worker takes over at its end': { lostAfter: 1 },
  'whose folder cannot be opened': { opening: refused('folder-not-found') },
  'that fails for less than a day': { opening: refused('timeout'), mailbox: { failingSince: ago(DAY - 1) } },
  'that fails for a day': { opening: refused('timeout'), mailbox: { failingSince: ago(DAY) } },
  'that fails by itself': { opening: new TypeError('ours') },
  'whose password is wrong': { opening: refused('sign-in-refused') },
  'whose password is wrong, and that is read rarely': {
    ...{ opening: refused('sign-in-refused'), mailbox: { everySeconds: 7_200 } },
  },
  'whose token is not accepted': { opening: refused('token-not-accepted') },
  'whose authorization server is busy': { opening: new TokenProblem('token-busy', 'later') },
  'whose authorization server says for how long': { opening: new TokenProblem('token-busy', 'later', 5_000) },
  'that is throttled at once': { opening: refused('throttled') },
  'that is throttled later': failing(refused('throttled')),
  'that is throttled later for a minute': failing(refused('throttled', 60)),
  'that is throttled later for longer': failing(refused('throttled', 61)),
  'that loses its connection': failing(refused('connection-lost')),
  'that loses its connection after another worker took over': failing(refused('connection-lost'), {
    lostAfter: 0,
  }),
  'whose server does not give a mail': withheld(refused('server-error'), '0a', {}),
  'whose server has not given a mail for less than a day': withheld(refused('server-error'), '0a', {
    '0a': ago(DAY - 1),
  }),
  'whose server has not given a mail for a day': withheld(refused('server-error'), '0a', { '0a': ago(DAY) }),
  'whose server has not given any mail for a day': withheld(refused('server-error'), '0a 0b', {
    '0a': ago(DAY),
    '0b': ago(DAY),
  }),
  'whose server has not given the only mail of a batch for a day, but gives the next one': {
    ...withheld(refused('server-error'), '0a', { '0a': ago(DAY) }),
    batches: [1, 1],
  },
  'whose server has not given the only mail for a day, behind which are none': {
    ...withheld(refused('server-error'), '0a', { '0a': ago(DAY) }),
    batches: [1, 0],
  },
  'whose server has not given one of two mails for a day': withheld(refused('server-error'), '0a 0b', {
    '0a': ago(DAY),
  }),
  'whose server did not give mails after another failure': withheld(
    refused('server-error'),
    '0a',
    { '0a': ago(DAY) },
    { lastError: { code: 'timeout', detail: '' } },
  ),
};

test('runs note how they went', async () => {
  const lines: string[] = [];
  for (const [title, given] of Object.entries(runs)) lines.push(`a run ${title}`, await runOf(given));
  expect(listed(lines)).toMatchSnapshot();
});

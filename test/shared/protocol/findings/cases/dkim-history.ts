import { generateKeyPairSync } from 'node:crypto';
import { type DkimHistory, withKeys } from '../../../../../shared/checks/dkim/history.ts';
import { inspectDkim } from '../../../../../shared/checks/dkim/inspect.ts';
import { dkimHistoryRules } from '../../../../../shared/protocol/findings/dkim-history.ts';
import { dkimKey } from '../../../../kit/results.ts';
import { zone } from '../../../../kit/zone.ts';
import { examplesOf, networkOf, now } from './example.ts';

const DAY = 86_400_000;
const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
  type: 'spki',
  format: 'der',
});
const text = `v=DKIM1; p=${key.toString('base64')}`;
const daysAgo = (days: number) => new Date(now.getTime() - days * DAY);
const day = (days: number) => daysAgo(days).toISOString().slice(0, 10);

interface Input {
  /** For how many days its key has been published; null without a key. */
  readonly published: number | null;
  /** How many days ago a large receiver last saw mail that was signed with it; never by default. */
  readonly used?: number;
  /** The same for another selector. */
  readonly otherUsed?: number;
  /** How many days ago a check run last saw its key; never by default. */
  readonly removed?: number;
  /** How many days ago a large receiver last saw mail with a signature of it that did not pass. */
  readonly failed?: number;
  /** Whether large receivers have reported all the time; they have by default. */
  readonly isReporting?: boolean;
  readonly isPartial?: boolean;
  readonly text?: string;
  /** It is an alias of a name that has the key. */
  readonly isAlias?: boolean;
  /** Another domain of the organization publishes the same key. */
  readonly isShared?: boolean;
}

async function inspect({ published, used, otherUsed, isPartial, isAlias = false, ...input }: Input) {
  const record = { TXT: published === null ? [] : [input.text ?? text] };
  const name = 'sel._domainkey.example.org';
  const target = 'sel.keys.example.net';
  const dns = zone({
    'example.org': {},
    ...(isAlias ? { [name]: { CNAME: [target] }, [target]: record } : { [name]: record }),
  });
  const network = networkOf({ dns });
  const { selectors } = await inspectDkim('example.org', network, { knownSelectors: ['sel'] });
  const use = (selector: string, days: number | undefined) =>
    days === undefined ? [] : [{ selector, lastSeen: day(days), lastProven: day(days) }];
  const { removed, failed, isReporting = true } = input;
  const recent = [used, failed].filter((days) => days !== undefined && days <= 30) as number[];
  const history: DkimHistory = {
    keys: withKeys(
      [],
      removed === undefined ? selectors : [dkimKey('sel')],
      daysAgo(removed ?? published ?? 0),
    ),
    uses: [...use('sel', used), ...use('other', otherUsed)],
    ...{ isPartial: isPartial ?? false, usedDays: 7 },
    reportedUse: async () => ({
      selectors: new Map(
        recent.length === 0 ? [] : [['sel', { passed: 4120, failed: 0, last: day(Math.min(...recent)) }]],
      ),
      isReporting,
    }),
    elsewhere: async (keys) => new Map(keys.map((one) => [one, input.isShared ? ['example.com'] : []])),
  };
  const check = await inspectDkim('example.org', network, { knownSelectors: ['sel'], history });
  return {
    ...check,
    findings: [...check.findings, ...check.selectors.flatMap(({ findings }) => findings)],
  };
}

export const dkimHistoryExamples = examplesOf<Input>('dkim', dkimHistoryRules, inspect, {
  'dkim-used-key-gone': [
    { published: null, removed: 20, used: 27 },
    { published: null, removed: 20, used: 28 },
  ],
  'dkim-key-unused': [
    { published: 90, used: 91, otherUsed: 14 },
    { published: 90, used: 90, otherUsed: 1 },
  ],
  'dkim-key-old': [
    { published: 730, used: 1 },
    { published: 729, used: 1 },
  ],
  'dkim-test-forgotten': [
    { published: 90, used: 1, text: `${text}; t=y` },
    { published: 89, used: 1, text: `${text}; t=y` },
  ],
  'dkim-key-shared': [
    { published: 1, isShared: true },
    { published: 1, isShared: true, isAlias: true },
  ],
});

/** The findings about the history of a key. */
export const ofHistory = async (input: Input): Promise<readonly string[]> =>
  (await inspect(input)).findings.flatMap(({ id }) => (id in dkimHistoryRules ? [id] : []));

/** Whether the check says that every key is used. */
export const allUsed = async (input: Input): Promise<boolean | undefined> => (await inspect(input)).allUsed;

/** What one attempt to deliver asks and stores, for each kind of delivery and each outcome. */
import { describe, expect, test } from '@jest/globals';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { WebAnswer } from '../../../shared/network/ports.ts';
import { deliver, LEASE_SECONDS } from '../../../shared/notify/deliver.ts';
import { type GatherDependencies, gather } from '../../../shared/notify/gather.ts';
import { type GatherDigestsDependencies, gatherDigests } from '../../../shared/notify/gather-digests.ts';
import { MailRefused } from '../../../shared/notify/mail.ts';
import type { Delivery, Lease } from '../../../shared/store/alerts/delivery.ts';
import { noSettings, type StoredSettings } from '../../../shared/store/alerts/notification-settings.ts';
import type { PendingNotification } from '../../../shared/store/alerts/pending.ts';
import { madeDelivery, storedAlert } from '../../kit/alerts.ts';
import { listed } from '../../kit/recorded-lines.ts';

const now = new Date('2026-03-01T07:00:00.000Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString();
const mail = {
  ...({ address: 'ops@example.org', threshold: 'info', digestMinute: 360, digestWeekday: null } as const),
  digestTimeZone: 'UTC',
};
const webhook = {
  origin: 'https://hook.test',
  threshold: 'info',
  format: 'json',
  events: [],
  secretId: 's',
} as const;
const both: StoredSettings = { ...noSettings, mail, webhook };

/** A line for each call, with its arguments in short. */
function recorder() {
  const lines: string[] = [];
  const shown = (value: unknown): string =>
    JSON.stringify(value, (key, one) =>
      key === 'delivery' ? one.id.slice(-4) : one instanceof Function ? 'fn' : one,
    );
  return {
    lines,
    told:
      <Result>(name: string, result: Result) =>
      async (...given: unknown[]): Promise<Result> => {
        lines.push(`${name} ${given.map(shown).join(' ')}`.replaceAll(now.toISOString(), 'now'));
        return result;
      },
  };
}

const alerts = (['info', 'warning', 'critical'] as const).map(
  (severity, n): Alert => ({ ...storedAlert(), id: `a${n}`, severity, domainId: `d${n}` }),
);
const certificate = { validFrom: now, validTo: now, chain: [], trusted: true, matchesName: true };
const evidence = { url: '', milliseconds: 1 };
const status = (httpStatus: number): WebAnswer => ({
  ...{ status: 'found', httpStatus, headers: {}, body: new Uint8Array(), certificate, evidence },
});

interface Given {
  readonly delivery?: Partial<Delivery>;
  readonly lease?: Partial<Lease>;
  readonly claimed?: 'given-up' | 'not-due';
  readonly settings?: Partial<StoredSettings>;
  readonly paused?: boolean;
  readonly found?: readonly Alert[];
  readonly url?: string | null;
  readonly answer?: WebAnswer | ((n: number) => WebAnswer | Promise<WebAnswer>);
  readonly sendMail?: Error | null;
  readonly sink?: Error | null;
  readonly tags?: readonly string[];
  readonly digest?: 'none' | 'no-writer';
}

async function attempt(given: Given): Promise<string> {
  const { lines, told } = recorder();
  const delivery = madeDelivery({
    alerts: alerts.map(({ domainId, id }) => ({ domainId, id })),
    ...given.delivery,
  });
  const lease = { delivery, until: '', failures: 0, interruptions: 0, ...given.lease };
  const { url = 'https://hook.test/in' } = given;
  let posts = 0;
  const outcome = await deliver(
    { id: delivery.id, now, sentAt: now, retrySeconds: [60, 300] },
    {
      deliveries: {
        claim: told(
          'claim',
          given.claimed === undefined ? { status: 'claimed', lease } : { status: given.claimed },
        ),
        finish: told('finish', undefined),
        fail: told('fail', undefined),
        giveUp: told('giveUp', undefined),
        createOnce: told('createOnce', undefined),
      } as never,
      settings: {
        get: async () => ({ ...both, ...given.settings }),
        targetOf: async () => (url === null ? undefined : { url, secret: 'whsec_dGVzdA==', secretId: 's' }),
        disableWebhook: told('disableWebhook', undefined),
        noteDelivery: told('noteDelivery', undefined),
        makeUnsubscribeKey: told('makeUnsubscribeKey', 'a new key'),
      } as never,
      alerts: { get: async (_domain, id) => (given.found ?? alerts).find((one) => one.id === id) },
      domains: {
        get: async (_organization: string, id: string) =>
          id === 'd0' ? undefined : { id, tags: given.tags ?? [] },
      } as never,
      organizations: { paused: async () => new Map(given.paused ? [['default', '']] : []) as never },
      attention: {
        openChannel: told('openChannel', undefined),
        closeChannel: told('closeChannel', undefined),
      } as never,
      ...(given.sink !== undefined && {
        sink: async ({ body }) => {
          if (given.sink !== null && given.sink !== undefined) throw given.sink;
          lines.push(`sink ${body.length > 100}`);
        },
      }),
      sendMail:
        given.sendMail === null
          ? undefined
          : async ({ to, subject }) => {
              lines.push(`mail to ${to}: ${subject}`);
              if (given.sendMail !== undefined && given.sendMail !== null) throw given.sendMail;
            },
      poster: {
        async post({ url: to, headers, timeoutMilliseconds }) {
          lines.push(`post ${to} ${headers.Authorization ?? ''} ${timeoutMilliseconds}`);
          posts += 1;
          const { answer = status(200) } = given;
          return typeof answer === 'function' ? answer(posts) : answer;
        },
      },
      hostUrl: 'https://monitor.acme.org',
      ownDomains: ['tester.acme.org'],
      ...(given.digest !== 'no-writer' && {
        writeDigest: async (_delivery, setting) => {
          lines.push(`writeDigest ${JSON.stringify(setting)}`);
          return given.digest === 'none'
            ? undefined
            : { to: setting.to, subject: 'Digest', text: '', html: '', headers: {} };
        },
      }),
    },
  ).catch((error: Error) => error.message);
  return listed([...lines.filter((line) => !line.startsWith('claim')), `-> ${JSON.stringify(outcome)}`]);
}

const hook = { channel: 'webhook' } as const;
const person = (given: object = {}) => ({
  people: { m1: { address: 'p@example.org', threshold: 'warning', tags: [], ...given } } as never,
});
const digest = { kind: 'digest', alerts: [] } as const;
const event = {
  id: 'e',
  createdAt: ago(1),
  domainId: 'd1',
  domainName: 'example.org',
  type: 'domain.verified',
} as const;
const unavailable = (reason: string) =>
  ({ status: 'unavailable', reason, detail: '', evidence }) as WebAnswer;
const splunk = { webhook: { ...webhook, format: 'splunk' } } as const;
const pager = { webhook: { ...webhook, format: 'pagerduty' } } as const;

const attempts: Readonly<Record<string, Given>> = {
  'given up earlier': { claimed: 'given-up' },
  'not due': { claimed: 'not-due' },
  'after 100 interruptions': { lease: { interruptions: 100 }, delivery: { correlations: ['c'] } },
  'after 101 interruptions': { lease: { interruptions: 101 } },
  'of a paused organization': { paused: true },
  'without any alerts left': { found: [] },
  'without alerts, with an event': { found: [], delivery: { events: [event] } },
  'without alerts, as a test': { found: [], delivery: { kind: 'test' } },
  'with one alert left': { found: alerts.slice(1, 2) },
  'without mail settings': { settings: { mail: null } },
  'without a webhook': { delivery: hook, settings: { webhook: null } },
  'to a webhook that was changed': { delivery: hook, url: null },
  'by mail, which is off': { sendMail: null },
  'by mail to an own domain': { settings: { mail: { ...mail, address: 'a@tester.acme.org' } } },
  'by mail that fails': { sendMail: new TypeError('secret') },
  'by mail that fails for the second time': { sendMail: new TypeError('secret'), lease: { failures: 1 } },
  'by mail that fails for the last time': { sendMail: new TypeError('secret'), lease: { failures: 2 } },
  'by mail that is refused for now': { sendMail: new MailRefused(`full${'x'.repeat(200)}`, false) },
  'by mail that is refused for good': { sendMail: new MailRefused('unknown\n', true) },
  'by webhook': { delivery: hook },
  'by webhook to Splunk': { delivery: hook, settings: splunk, url: 'https://hook.test/in?token=t' },
  'by webhook to the sink of the operator': { delivery: hook, url: 'https://events.invalid/', sink: null },
  'by webhook to a sink that fails': {
    delivery: hook,
    url: 'https://events.invalid/',
    sink: new Error('full\n'),
  },
  'by webhook to another host than the sink': { delivery: hook, sink: null },
  'by webhook to a sink that does not exist': { delivery: hook, url: 'https://events.invalid/' },
  'by webhook, which is gone': { delivery: hook, answer: status(410) },
  'by webhook without an address': {
    delivery: hook,
    answer: { status: 'absent', reason: 'no-address', evidence },
  },
  'by webhook that is silent': { delivery: hook, answer: unavailable('timeout') },
  'to a pager': { delivery: hook, settings: pager, url: 'https://page.test/?routing_key=k' },
  'to a pager that is gone': { delivery: hook, settings: pager, answer: status(410) },
  'to a pager without incidents': { delivery: { ...hook, events: [event] }, found: [], settings: pager },
  'to a pager that refuses the second': {
    ...{ delivery: hook, settings: pager },
    answer: (n) => status(n === 2 ? 400 : 202),
  },
  'for all members': { delivery: { members: 'warning' }, settings: person() },
  'for members that turned it off': { delivery: { member: 'm1' } },
  'for a member': { delivery: { member: 'm1' }, settings: person(), tags: ['x'] },
  'for a member, with others that are counted': {
    ...{ delivery: { member: 'm1', further: { info: 0, warning: 2, critical: 0 } }, settings: person() },
  },
  'for a member with a tag': {
    ...{ delivery: { member: 'm1', further: { info: 0, warning: 2, critical: 0 } }, tags: ['a', 'b'] },
    settings: person({ tags: ['b', 'c'] }),
  },
  'for a member with another tag': {
    delivery: { member: 'm1' },
    settings: person({ tags: ['c'] }),
    tags: ['a'],
  },
  'for a member about a domain that is gone': {
    delivery: { member: 'm1' },
    settings: person({ threshold: 'info' }),
    found: alerts.slice(0, 1),
  },
  'for a member whose mail fails': { delivery: { member: 'm1' }, settings: person(), sendMail: new Error() },
  'of a digest': { delivery: digest },
  'of a weekly digest with a known key': {
    ...{ delivery: digest, settings: { mail: { ...mail, digestWeekday: 'monday' }, unsubscribeKey: 'key' } },
  },
  'of a digest that was turned off': {
    delivery: digest,
    settings: { mail: { ...mail, digestMinute: null } },
  },
  'of a digest without mail settings': { delivery: digest, settings: { mail: null } },
  'of a digest of no domain': { delivery: digest, digest: 'none' },
  'of a digest in another queue': { delivery: digest, digest: 'no-writer' },
};

test.each(Object.entries(attempts))('an attempt %s', async (_title, given) => {
  expect(await attempt(given)).toMatchSnapshot();
});

test('a webhook accepts with the statuses from 200 to 299', async () => {
  const outcomes = [199, 200, 299, 300, 409, 411].map(async (code) => {
    const said = await attempt({ delivery: hook, answer: status(code) });
    return `${code}: ${/"status":"[\w-]+"(?:,"reason":"[^"]*")?/.exec(said.split('->')[1] ?? '')?.[0]}`;
  });
  expect(await Promise.all(outcomes)).toMatchSnapshot();
});

test('a worker holds a delivery for 35 seconds, and a pager gets 25 requests at once', async () => {
  expect(LEASE_SECONDS).toBe(35);
  const found = Array.from({ length: 60 }, (_, n) => ({ ...storedAlert(), id: `a${n}`, domainId: `d${n}` }));
  let [open, most] = [0, 0];
  const answer = async () => {
    open += 1;
    most = Math.max(most, open);
    await new Promise(setImmediate);
    open -= 1;
    return status(200);
  };
  const delivery = { ...hook, alerts: found.map(({ domainId, id }) => ({ domainId, id })) };
  await attempt({ delivery, found, settings: pager, url: 'https://page.test/?routing_key=k', answer });
  expect(most).toBe(25);
});

/** The stores of a run that gathers, with what it asks and writes. */
function gathering(
  due: readonly PendingNotification[],
  settings: Partial<StoredSettings>,
  given: object = {},
) {
  const { lines, told } = recorder();
  const few = (some: readonly { alert: string }[]) =>
    some.length < 4
      ? some.map(({ alert }) => alert).join(' ')
      : `${some[0]?.alert} ... ${some.at(-1)?.alert} (${some.length})`;
  const waiting = { due: [...due] };
  const late =
    (which: string) =>
    async (kind: string, shard: number, { limit }: { limit: number }) => {
      lines.push(`${which} ${kind} ${shard} ${limit}`);
      return [{ id: `${which} delivery` }];
    };
  const deps = {
    pending: {
      tooFarAhead: async (_kind: string, _shard: number, { limit }: { limit: number }) => {
        lines.push(`pending too far ahead ${limit}`);
        return [{ alert: 'ahead' }];
      },
      due: async (_kind: string, _shard: number, { limit }: { limit: number }) =>
        waiting.due.splice(0, limit),
      postpone: async (some: PendingNotification[], until: Date) =>
        void lines.push(`postpone ${few(some)} until ${until.toISOString()}`),
      remove: async (some: PendingNotification[]) => void lines.push(`remove ${few(some)}`),
    },
    deliveries: {
      ...{ due: late('due'), tooFarAhead: late('ahead'), markQueued: told('markQueued', undefined) },
      create: async ({ id: _id, ...delivery }: Delivery, some: PendingNotification[], pacing?: object) => {
        lines.push(`create ${JSON.stringify(delivery)} of ${few(some)} ${JSON.stringify(pacing) ?? ''}`);
        return !some.some(({ alert }) => alert === 'taken');
      },
      addFurther: async (_delivery: Delivery, some: PendingNotification[]) =>
        void lines.push(`further ${few(some)}`),
      createOnce: async ({ member, further }: Delivery) =>
        void lines.push(`for ${member} ${JSON.stringify(further)}`),
      get: async (id: string) =>
        madeDelivery({ id, members: 'warning', further: { info: 1, warning: 2, critical: 3 } }),
      finish: async (_lease: object, outcome: object) => void lines.push(`finish ${JSON.stringify(outcome)}`),
    },
    settings: { get: async () => ({ ...both, ...settings }) },
    enqueue: async (ids: readonly string[]) =>
      void lines.push(`enqueue ${ids.map((id) => (id.startsWith('0') ? 'new' : id)).join(', ')}`),
    ...given,
  };
  return { deps: deps as unknown as GatherDependencies, lines };
}

const pending = (alert: string, given: Partial<PendingNotification> = {}) =>
  ({
    organization: 'o',
    domainId: 'd',
    alert,
    severity: 'info',
    channel: 'mail',
    kind: 'alerts',
    ...given,
  }) as PendingNotification;
const many = (count: number, given: Partial<PendingNotification> = {}) =>
  Array.from({ length: count }, (_, n) => pending(`a${String(n).padStart(3, '0')}`, given));
const run = { shards: [3], now, remainingMilliseconds: () => 10_000 };
const end = (seconds: number, length = 300) => ({
  pause: { until: new Date(now.getTime() + seconds * 1000).toISOString(), seconds: length },
});

describe('a run that gathers', () => {
  test.each<[string, readonly PendingNotification[], Partial<StoredSettings>]>([
    ['nothing', [], {}],
    [
      'alerts of three severities',
      [pending('c'), pending('b', { severity: 'critical' }), pending('a', { severity: 'warning' })],
      {},
    ],
    [
      'alerts for both channels and another organization',
      [pending('a'), pending('a', { channel: 'webhook' }), pending('b', { organization: 'p' })],
      {},
    ],
    ['alerts without a channel', many(2), { mail: null }],
    ['alerts during a pause', many(2), end(1)],
    ['alerts at the end of a pause', many(1), end(0)],
    ['alerts at the last end that a pause can have', many(1), end(3_660)],
    ['alerts with a pause of a wrong clock', many(1), end(3_661)],
    ['alerts soon after a pause', many(1), end(-299)],
    ['alerts long after a pause', many(1), end(-300)],
    ['50 alerts', many(50), {}],
    ['51 alerts', many(51), {}],
    ['141 alerts', many(141), {}],
    ['101 alerts for a webhook', many(101, { channel: 'webhook' }), {}],
    ['alerts that another run took', [pending('taken'), pending('taken', { channel: 'webhook' })], {}],
    [
      'alerts for members, whose delivery is removed meanwhile',
      [pending('gone', { to: 'members' })],
      { people: { m1: { address: 'a', threshold: 'info', tags: [] } } },
    ],
    ['alerts for members that are gone', many(1, { to: 'members' }), {}],
    [
      'alerts for members',
      many(2, { to: 'members', severity: 'warning' }),
      {
        people: {
          m1: { address: 'a', threshold: 'warning', tags: [] },
          m2: { address: 'b', threshold: 'critical', tags: [] },
        },
      },
    ],
  ])('%s', async (_title, due, settings) => {
    const { deps, lines } = gathering(due, settings);
    await gather(deps, run);
    const [ahead = [], rest] = [lines.slice(0, 8), lines.slice(8)];
    if (due.length === 0) expect(listed(ahead)).toMatchSnapshot();
    else expect(listed(rest)).toMatchSnapshot();
  });

  test('goes on after a failure, and throws all of them at its end', async () => {
    const queue = { enqueue: async () => Promise.reject(new Error('the queue is full')) };
    const { deps, lines } = gathering(many(1), {}, queue);
    await expect(gather(deps, run)).rejects.toMatchObject({
      ...{ message: 'some notifications could not be queued for delivery', errors: { length: 3 } },
    });
    expect(lines.filter((line) => /^(?:create|markQueued)/.test(line))).toHaveLength(1);
  });
});

describe('a run that gathers digests', () => {
  const day = 86_400;
  const plan = (given: object = {}) => ({ organization: 'o', at: ago(60), isOpen: false, ...given });
  test.each<[string, object, Partial<StoredSettings>]>([
    ['that were turned off', plan(), { mail: null }],
    ['that were opened', plan({ isOpen: true }), {}],
    ['at its time', plan({ at: now.toISOString() }), {}],
    ['a moment after now', plan({ at: ago(-0.001) }), {}],
    ['for the first time, of a day', plan(), {}],
    ['for the first time, of a week', plan(), { mail: { ...mail, digestWeekday: 'sunday' } }],
    ['after one of yesterday', plan(), { lastDigestAt: ago(day) }],
    ['after one of 31 days ago', plan(), { lastDigestAt: ago(31 * day) }],
    ['after one of 40 days ago', plan(), { lastDigestAt: ago(40 * day) }],
    ['after one of a wrong clock', plan(), { lastDigestAt: ago(-61) }],
    ['after one of another clock', plan(), { lastDigestAt: ago(-60) }],
    ['that another run made', plan({ organization: 'taken' }), {}],
  ])('%s', async (_title, planned, settings) => {
    const { deps, lines } = gathering([], settings);
    let waiting = [planned];
    const plans = {
      tooFarAhead: async () => [plan({ at: ago(-90 * day) })],
      due: async () => waiting.splice(0),
      set: async ({ at }: { at: string }, next: Date) =>
        void lines.push(`set ${at} to ${next.toISOString()}`),
      remove: async () => void lines.push('remove'),
    };
    const createDigest = async (
      { organization }: { organization: string },
      { id: _id, ...one }: Delivery,
      next: Date,
    ) => {
      lines.push(`create ${JSON.stringify(one)}, then ${next.toISOString()}`);
      return organization !== 'taken';
    };
    const digests = { ...deps, plans, deliveries: { ...deps.deliveries, createDigest } };
    await gatherDigests(digests as unknown as GatherDigestsDependencies, run);
    expect(listed(lines.slice(6))).toMatchSnapshot();
    waiting = [planned];
    lines.splice(0);
    await gatherDigests(digests as unknown as GatherDigestsDependencies, {
      ...run,
      remainingMilliseconds: () => 9_999,
    });
    expect(waiting).toHaveLength(1);
  });
});

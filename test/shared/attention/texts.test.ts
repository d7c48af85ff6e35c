/** What attention items say: each kind, with what its text depends on. */
import { expect, test } from '@jest/globals';
import type { DomainKind } from '../../../shared/alerts/attention-kind.ts';
import {
  type About,
  aboutFacts,
  aboutNothing,
  channelKinds,
  isChannelKind,
  isDomainKind,
  isMailboxKind,
  kinds,
  mailboxKinds,
  named,
  severityOf,
  textOf,
} from '../../../shared/attention/kinds.ts';
import type { RegistrationFacts, RegistrationProblem } from '../../../shared/attention/registration-text.ts';
import type { StepFacts } from '../../../shared/attention/step-text.ts';
import { todayRows } from '../../../shared/attention/today.ts';
import { recorded } from '../../kit/recorded.ts';

const since = '2026-03-01T10:00:00.000Z';
const about: About = {
  ...aboutNothing,
  names: ['one', 'two'],
  further: 3,
  on: '2026-04-05',
  reason: 'sent spam',
};

const said = (kind: DomainKind, of: About) =>
  textOf({ kind, domainId: 'd', domain: 'example.org', since, about: of });

test('the text of each kind about a domain', () => {
  recorded(
    Object.fromEntries(
      (Object.keys(kinds) as DomainKind[]).map((kind) => [
        kind,
        {
          ...{ severity: severityOf(kind), group: todayRows[kind].group, today: todayRows[kind].what(about) },
          ...{ title: said(kind, about).title, path: said(kind, about).action.path },
          bare: said(kind, { ...aboutNothing, names: ['one'] }).title,
        },
      ]),
    ),
  );
  expect([isDomainKind('takeover'), isDomainKind('toString'), isChannelKind('takeover')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('the text of each kind about a channel or a mailbox', () => {
  const mailbox = (facts: About['facts']) =>
    textOf({
      kind: 'mailbox-failing',
      mailbox: 'm',
      since,
      about: { ...aboutNothing, names: ['inbox'], facts },
    });
  recorded({
    mail: textOf({ kind: 'channel-failing', channel: 'mail', since, about }),
    webhook: textOf({ kind: 'channel-failing', channel: 'webhook', since, about }),
    unknown: mailbox({ what: 'else' }),
    severities: [...Object.keys(channelKinds), ...Object.keys(mailboxKinds)].map((kind) =>
      isChannelKind(kind) || isMailboxKind(kind) ? severityOf(kind) : kind,
    ),
  });
});

test('the reason of a blocklist, if it states one', () => {
  const withReason = (reason: string | null) => said('blocklisted', { ...about, reason }).detail.slice(0, 90);
  recorded([withReason('sent spam'), withReason(null)]);
});

test('an item names eight at most, each once', () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`);
  recorded([7, 8, 9, 20].map((count) => named([...names(count), 'n0', 'a\nb'])));
  expect(named(['x'.repeat(200)]).names[0]?.length).toBeLessThan(100);
});

test('a registration', () => {
  const facts = (problems: readonly RegistrationProblem[]): RegistrationFacts => ({
    ...{ registered: 'example.org', problems: [...problems], statuses: ['clientHold', 'pendingDelete'] },
    ...{ expires: '2026-05-06', asOf: since, registry: [1, 2], dns: [] },
  });
  const problems = ['not-registered', 'removed', 'held', 'expiring', 'ds-differs', 'unlocked'] as const;
  for (const some of [[], problems.slice(0, 1), problems])
    recorded(said('registration', aboutFacts(facts(some))));
});

test('a step that loses mail', () => {
  const sender = (name: string) => ({ name, messages: 2000, lost: 1500, lostShare: 75, predictedShare: 1.5 });
  const facts = (previous: string, others: number): StepFacts => ({
    ...{ day: '2026-02-01', policy: 'reject', previous, from: '2026-02-20', to: '2026-02-26', others },
    ...{ senders: [sender('example.net'), sender('a\u202eb')], record: 'v=DMARC1; p=none' },
    ...{ current: { quarantine: 0, reject: 9 }, proposed: { quarantine: 3, reject: 0 } },
  });
  recorded([facts('none', 0), facts('quarantine', 2)].map((one) => said('step-loses-mail', aboutFacts(one))));
});

test('reports that stopped, or never came', () => {
  const silence = (reporter: string | null) => ({ reporter, lastDay: '2026-02-20', reportDays: 28 });
  const asked = { mailbox: 'box@reports.example', isNamed: true, authorizedAt: null };
  const stopped = (...reporters: readonly (string | null)[]) =>
    said('reports-stopped', aboutFacts({ ...asked, silences: reporters.map(silence) }));
  recorded({
    all: stopped(null),
    one: stopped('google.com'),
    three: stopped('a.test', 'b.test', 'c.test').detail,
    five: stopped('a.test', 'b.test', 'c.test', 'd.test', 'e.test').detail,
    never: said('reports-never-came', aboutFacts({ ...asked, isNamed: false })).detail,
    unknown: said('reports-never-came', aboutFacts({ ...asked, isNamed: null, authorizedAt: 'a.test' }))
      .detail,
  });
});

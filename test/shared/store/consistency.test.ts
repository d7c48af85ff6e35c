/** Reads that must find what was written a moment ago: DynamoDB answers eventually consistent reads from copies that are behind. */
import { expect, test } from '@jest/globals';
import type { RecordedRun } from '../../../shared/checks/recording/record.ts';
import { alertStore } from '../../../shared/store/alerts/alerts.ts';
import { attentionStore } from '../../../shared/store/attention.ts';
import { evidenceStore } from '../../../shared/store/check-runs/evidence.ts';
import { historyStore } from '../../../shared/store/check-runs/history.ts';
import { deletionStore } from '../../../shared/store/domains/deletions.ts';
import { type Domain, domainStore } from '../../../shared/store/domains/domains.ts';
import { fetchedMailboxStore } from '../../../shared/store/fetched-mailboxes.ts';
import { invitationStore } from '../../../shared/store/invitations.ts';
import { memberStore } from '../../../shared/store/members.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { exactRateStore } from '../../../shared/store/rates/exact-rates.ts';
import { rateStore } from '../../../shared/store/rates/rates.ts';
import { dmarcReportStore } from '../../../shared/store/reports/dmarc-reports.ts';
import { reportsOfDay } from '../../../shared/store/reports/roll-up.ts';
import { sessionStore } from '../../../shared/store/sessions.ts';
import type { Table } from '../../../shared/store/table.ts';
import { reportAlertDraft } from '../../kit/alerts.ts';
import { raiseAlert } from '../../kit/alongside.ts';
import { openItem } from '../../kit/attention.ts';
import { addMailbox } from '../../kit/mailbox-runs.ts';
import { join } from '../../kit/members.ts';
import { dmarcReport, itemsOf, registeredDomain, storeDmarc } from '../../kit/reports.ts';
import { perfectResults } from '../../kit/results.ts';
import { behind } from '../../kit/table.ts';
import { useTable } from '../../kit/use-table.ts';

const table = await useTable();

const now = new Date('2026-01-10T00:00:00.000Z');
const day = '2026-01-10';
const all = { page: 1, limit: 9 };
const permanent = { retentionDays: 0 };
const rate = { limit: 2, windowMilliseconds: 60_000 };

const invite = (organization: string) => {
  const given = { organization, mail: `${organization}@example.org`, scope: 'read', by: null } as const;
  return invitationStore(table).create(given, now);
};

const passes = async (pass: () => Promise<{ readonly allowed: boolean }>) => {
  const decisions = [await pass(), await pass(), await pass()];
  return decisions.filter(({ allowed }) => allowed).length;
};

/** `find` finds what `write` writes, in a table whose eventually consistent reads find nothing. */
const rows: readonly {
  readonly what: string;
  readonly write?: (domain: Domain) => Promise<unknown>;
  readonly find: (table: Table, domain: Domain) => Promise<unknown>;
  readonly found: unknown;
}[] = [
  {
    what: 'a list of domains',
    find: async (table, { organization }) =>
      (await domainStore(table).list(organization, 1, 9)).domains.length,
    found: 1,
  },
  {
    what: 'a list of tokens',
    write: ({ organization }) =>
      organizationStore(table).createToken(organization, { name: 'ci', label: 'svc' }, now),
    find: async (table, { organization }) => (await organizationStore(table).listTokens(organization)).length,
    found: 1,
  },
  {
    what: 'a list of sessions',
    write: ({ organization }) => sessionStore(table).start({ organization, id: 't', hash: 'h' }, '', now),
    find: async (table, { organization }) =>
      (await sessionStore(table).list(organization, undefined, now)).length,
    found: 1,
  },
  {
    what: 'the history of a score',
    write: ({ id }) =>
      table.transact(
        historyStore(table, permanent).writesOf(id, {
          score: { at: now.toISOString(), score: 80, grade: 'B' },
        }),
      ),
    find: async (table, { id }) => (await historyStore(table, permanent).scores(id, all, now)).entries.length,
    found: 1,
  },
  {
    what: 'a list of the alerts of a domain',
    write: (domain) =>
      raiseAlert({ table, alerts: alertStore(table, permanent) }, domain, reportAlertDraft('one'), now),
    find: async (table, { organization, id }) => {
      const filter = { domainId: id, unreadOnly: true };
      return (await alertStore(table, permanent).list(organization, filter, all, now)).alerts.length;
    },
    found: 1,
  },
  {
    what: 'an alert that was raised before',
    write: (domain) =>
      raiseAlert({ table, alerts: alertStore(table, permanent) }, domain, reportAlertDraft('one'), now),
    find: (table, domain) => {
      const quota = { authClass: 'authenticated', limit: 9 } as const;
      return alertStore(table, permanent).raise(domain, [reportAlertDraft('one')], { day, quota }, now);
    },
    found: [],
  },
  {
    what: 'a list of the attention items of a domain',
    write: (domain) => openItem(table, domain, 'reports-never-came', now.toISOString()),
    find: async (table, { organization, id }) =>
      (await attentionStore(table).list(organization, { domainId: id }, all, now)).items.length,
    found: 1,
  },
  {
    what: 'a list of all domains',
    find: async (table, { organization }) => (await domainStore(table).all(organization)).length,
    found: 1,
  },
  {
    what: 'a list of invitations',
    write: ({ organization }) => invite(organization),
    find: async (table, { organization }) => (await invitationStore(table).list(organization, now)).length,
    found: 1,
  },
  {
    what: 'what a person may do',
    write: ({ organization }) => join(table, organization, organization, 'read', now),
    find: async (table, { organization }) => (await memberStore(table).of(organization)).length,
    found: 1,
  },
  {
    what: 'the end of a membership, and of open invitations,',
    write: async ({ organization }) => {
      await join(table, organization, organization, 'read', now);
      await invite(organization);
    },
    find: async (copy, { organization }) => {
      const [member] = await memberStore(table).of(organization);
      if (member === undefined) throw new Error('no member');
      await memberStore(copy).remove(member, undefined, now);
      return invitationStore(table).list(organization, now);
    },
    found: [],
  },
  {
    what: 'a list of mailboxes',
    write: ({ organization }) => addMailbox(table, organization, now),
    find: async (table, { organization }) => (await fetchedMailboxStore(table).list(organization)).length,
    found: 1,
  },
  {
    what: 'the evidence of a check run',
    write: ({ id }) => {
      const results = perfectResults('parked');
      const given = { at: now.toISOString(), release: '1', usageType: 'parked', results } as const;
      const run = { certificates: new Map() } as unknown as RecordedRun;
      return table.transact(
        evidenceStore(table, permanent).writesOf(id, { ...given, run }, undefined, 9).writes,
      );
    },
    find: async (table, { id }) => (await evidenceStore(table, permanent).at(id, undefined, now))?.at,
    found: now.toISOString(),
  },
  {
    what: 'what a day is rolled up from',
    write: (domain) => storeDmarc(dmarcReportStore(table, permanent), domain, dmarcReport(day)),
    find: async (table, { id }) => (await reportsOfDay(table, ['DMARC', id, day])).length,
    found: 1,
  },
  {
    what: 'the end of a deletion',
    write: (domain) => domainStore(table).remove(domain, now),
    find: async (copy, domain) => {
      await deletionStore(copy).drain(domain.id, () => 60_000);
      return itemsOf(table, domain);
    },
    found: [],
  },
  {
    what: 'a counted limit',
    find: (table, { id }) => passes(() => rateStore(table).consume('api', id, rate, now)),
    found: 2,
  },
  {
    what: 'an exact limit',
    find: (table, { id }) => passes(() => exactRateStore(table).consumeExact('checks', id, rate, now)),
    found: 2,
  },
];

test.each(rows)('$what does not depend on copies that are behind', async ({ write, find, found }) => {
  const domain = await registeredDomain(table);
  await write?.(domain);
  expect(await find(behind(table), domain)).toEqual(found);
});

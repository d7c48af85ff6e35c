/**
 * A month of the four domains of `reported-domains.ts`: their records, decisions, daily checks, and reports. All of it is
 * planned, and happens as the clock of the service goes on.
 */
import { senderGroups } from '../../shared/enforcement/senders.ts';
import type { RecordSummary } from '../../shared/reports/dmarc/summary/shapes.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import type { SenderDecision } from '../../shared/store/enforcement/decisions.ts';
import type { ZoneLiteral } from '../kit/zone.ts';
import { startReportService } from './report-service.ts';
import {
  domainsOf,
  forwarded,
  ofService,
  own,
  REPAIRED,
  type ReportedDomain,
  RUA_BREAKS,
  reportsAbout,
  type Size,
} from './reported-domains.ts';

const SEED = 33;
const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const FIRST = Date.parse('2026-03-02T00:00:00Z');
/** The hour in which the first reports of a day come. */
export const FIRST_HOUR = 1;

export const at = (day: number, hour = 0) => new Date(FIRST + day * DAY + hour * HOUR);

export interface Month {
  readonly size: Size;
  readonly days: number;
  /** The DKIM record of each domain. */
  readonly dkimKey: string;
  readonly makeTable?: Parameters<typeof startReportService>[2];
}

export async function startMonth({ size, days, dkimKey, makeTable }: Month) {
  const records: Record<string, ZoneLiteral[string]> = {};
  const service = await startReportService(at(0), () => records, makeTable);
  const reported = domainsOf(size);
  const domains: Domain[] = [];
  for (const one of reported) domains.push(await add(one));
  return { ...service, reported, domains };

  async function add(one: ReportedDomain): Promise<Domain> {
    const { name, policy, reporters } = one;
    const domain = await service.register(name);
    const mailbox = service.mailboxOf(domain);
    const askAt = (address: string) => {
      records[`_dmarc.${name}`] = { TXT: [`v=DMARC1; p=${policy}; rua=mailto:${address}`] };
    };
    askAt(mailbox);
    const SOA = [{ mname: `ns.${name}`, rname: `host.${name}`, serial: 1, minimum: 300 }];
    records[name] = { SOA, MX: [[0, '.']], TXT: ['v=spf1 ip4:192.0.2.0/24 -all'] };
    records[`s1._domainkey.${name}`] = { TXT: [[dkimKey.slice(0, 200), dkimKey.slice(200)]] };
    records[`_svc.${name}`] = { TXT: [`svc-verify=${domain.verificationToken}`] };
    records[`${name}._report._dmarc.${mailbox.split('@')[1]}`] = { TXT: ['v=DMARC1'] };
    const changedAt = at(0).toISOString();
    const decide = (record: RecordSummary, status: SenderDecision['status']) => {
      const { id: senderId } = senderGroups(name).groupOf(record);
      const decision = { senderId, status, note: null, changedAt, changedBy: null };
      return service.decisions.decide(domain, decision, undefined);
    };
    await decide(own(name, 1), 'approved');
    await decide(ofService(name, 1), 'approved');
    await decide(forwarded(name, 1), 'forwarder');
    if (name === 'news.example') {
      service.plan(at(RUA_BREAKS, 22), async () => askAt('dmarc@news.example'));
      service.plan(at(REPAIRED), async () => askAt(mailbox));
    }
    for (let day = 0; day < days; day += 1) {
      service.plan(at(day, 0.1), () => service.check(domain));
      // Reports about a day are sent on the next one, to the mailbox that the record names then.
      const isAsked = name !== 'news.example' || day < RUA_BREAKS || day + 1 >= REPAIRED;
      if (!isAsked) continue;
      for (const [reporter, report] of reportsAbout(one, { day, begin: at(day), seed: SEED })) {
        const id = `${name}-${reporter}-${day}`;
        // Small receivers are first, and get other mail than large ones.
        const hour = FIRST_HOUR + 20 * (1 - (reporters.indexOf(reporter) + 1) / reporters.length);
        service.plan(at(day + 1, hour), () => service.receive(domain, { reporter, id, report }));
      }
    }
    return domain;
  }
}

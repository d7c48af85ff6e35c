/** Four domains as DMARC reports show them, day by day: the same in every run. Day 0 is a Monday. */
import type { RecordSummary } from '../../shared/reports/dmarc/summary/shapes.ts';
import { randomNumbers } from '../kit/reports.ts';
import { recordText, reportText } from '../shared/reports/report-text.ts';

/** The days on which something happens. */
export const ESP_BREAKS = 12;
export const RUA_BREAKS = 20;
export const MONTH_DAYS = 30;
/** Afterwards, the owners repair what broke. */
export const REPAIRED = MONTH_DAYS;

export interface ReportedDomain {
  readonly name: string;
  readonly policy: 'none' | 'quarantine';
  readonly reporters: readonly string[];
  /** The mail of a day. */
  readonly mail: (day: number, below: Below) => Mail;
}

type Below = ReturnType<typeof randomNumbers>;

interface Mail {
  /** What all receivers get, each its part. */
  readonly everywhere: readonly RecordSummary[];
  /** What one receiver gets. */
  readonly somewhere: readonly RecordSummary[];
}

/** The first three are those whose reports nobody can forge. Each receiver gets more mail than the next one. */
const reporters = (count: number): readonly string[] =>
  Array.from(
    { length: count },
    (_, at) => ['google.com', 'microsoft.com', 'dmarc.yahoo.com'][at] ?? `receiver${at}.example`,
  );

const message = (headerFrom: string, count: number): RecordSummary => ({
  ...{ headerFrom, mailFrom: headerFrom, dkimDomains: [headerFrom], count },
  ...{ sourceIp: '192.0.2.10', spfResult: 'pass', dkim: 'pass', spf: 'pass' },
  ...{ disposition: 'none', overrides: [] },
});

/** Mail of the owner's own server. */
export const own = message;

/** Mail of a service that signs in the name of the owner, and has MAIL FROM of its own. */
export const ofService = (name: string, count: number, isSigned = true): RecordSummary => ({
  ...message(name, count),
  ...{ sourceIp: '198.51.100.10', mailFrom: 'bounces.esp.example', spf: 'fail' },
  ...(!isSigned && { dkim: 'fail', dkimDomains: [] }),
});

export const forwarded = (name: string, count: number): RecordSummary => ({
  ...message(name, count),
  ...{ sourceIp: '203.0.113.77', mailFrom: 'forwarder.example', spf: 'fail' },
});

const forged = (name: string, sourceIp: string, count: number): RecordSummary => ({
  ...message(name, count),
  ...{ sourceIp, mailFrom: 'forger.example', spfResult: 'fail', spf: 'fail', dkim: 'fail', dkimDomains: [] },
});

/** As many as usual, give or take 30 %, and on weekends less than half of them. */
function about(usual: number, day: number, below: Below): number {
  const isWeekend = ((day % 7) + 7) % 7 >= 5;
  return Math.round((isWeekend ? 0.4 : 1) * usual * (0.7 + below(601) / 1000));
}

/** A little forged mail from one network, on every third day. */
const noise = (name: string, below: Below): readonly RecordSummary[] =>
  below(3) === 0 ? [forged(name, `203.0.${below(112)}.9`, 1 + below(8))] : [];

/** How many networks forge mail of the brand each day, and how many reporters each domain has. */
export interface Size {
  readonly networks: number;
  readonly brandReporters: number;
  readonly shopReporters: number;
  readonly newsReporters: number;
}

/** Every day, other networks. */
const networkOf = (at: number) => `${[45, 91, 103, 185][at % 4]}.${(at >> 8) & 255}.${at & 255}.9`;

export const domainsOf = ({
  networks,
  brandReporters,
  shopReporters,
  newsReporters,
}: Size): readonly ReportedDomain[] => [
  {
    name: 'brand.example',
    policy: 'quarantine',
    reporters: reporters(brandReporters),
    mail: (day, below) => ({
      everywhere: [
        own('brand.example', about(100 * networks, day, below)),
        ofService('brand.example', about(25 * networks, day, below)),
        forwarded('brand.example', about(networks, day, below)),
      ],
      // Most networks send little, a few of them much.
      somewhere: Array.from({ length: networks }, (_, at) =>
        forged(
          'brand.example',
          networkOf((day + 100) * networks + at),
          1 + Math.floor(below(20) ** 2 / (1 + below(9))),
        ),
      ),
    }),
  },
  {
    name: 'quiet.example',
    policy: 'none',
    reporters: reporters(2),
    mail: (day, below) => ({
      everywhere: [
        own('quiet.example', Math.round((about(8, day, below) * below(21)) / 10)),
        forwarded('quiet.example', below(4) === 0 ? 1 : 0),
      ],
      somewhere: below(6) === 0 ? [forged('quiet.example', `203.0.${below(112)}.9`, 1 + below(2))] : [],
    }),
  },
  {
    name: 'shop.example',
    policy: 'none',
    reporters: reporters(shopReporters),
    mail: (day, below) => ({
      everywhere: [
        own('shop.example', about(300, day, below)),
        ofService('shop.example', about(200, day, below), day < ESP_BREAKS || day >= REPAIRED),
        forwarded('shop.example', about(10, day, below)),
      ],
      somewhere: noise('shop.example', below),
    }),
  },
  {
    name: 'news.example',
    policy: 'none',
    reporters: reporters(newsReporters),
    mail: (day, below) => ({
      everywhere: [
        own('news.example', about(150, day, below)),
        forwarded('news.example', about(5, day, below)),
      ],
      somewhere: noise('news.example', below),
    }),
  },
];

/** The reports about a day, by reporter; none of a receiver that got no mail. */
export function reportsAbout(
  { name, policy, reporters: all, mail }: ReportedDomain,
  { day, begin, seed }: { readonly day: number; readonly begin: Date; readonly seed: number },
): ReadonlyMap<string, string> {
  const below = randomNumbers(seed * 1_000_003 + day);
  const { everywhere, somewhere } = mail(day, below);
  const records = new Map(all.map((reporter) => [reporter, [] as RecordSummary[]]));
  for (const record of everywhere)
    for (const [at, count] of parts(record.count, all.length, below).entries())
      if (count > 0) records.get(all[at] ?? '')?.push({ ...record, count });
  for (const record of somewhere) records.get(all[below(all.length)] ?? '')?.push(record);
  const seconds = begin.getTime() / 1000;
  return new Map(
    [...records].flatMap(([reporter, some]) =>
      some.length === 0
        ? []
        : [
            [
              reporter,
              reportText({
                orgName: `<org_name>${reporter}</org_name>`,
                reportId: `<report_id>${name}-${day}</report_id>`,
                dateRange: `<date_range><begin>${seconds}</begin><end>${seconds + 86_399}</end></date_range>`,
                domain: `<domain>${name}</domain>`,
                policy: `<adkim>r</adkim><aspf>r</aspf><p>${policy}</p><pct>100</pct>`,
                records: some.map((record) => textOf(record, policy)),
              }),
            ] as const,
          ],
    ),
  );
}

/** Messages, distributed so that a receiver gets the half of the first one, the third, and so on. */
function parts(count: number, receivers: number, below: Below): readonly number[] {
  const weights = Array.from({ length: receivers }, (_, at) => 1 / (at + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = count;
  return weights.map((weight) => {
    const exact = (count * weight) / total;
    const part = Math.min(left, Math.floor(exact) + (below(1000) < (exact % 1) * 1000 ? 1 : 0));
    left -= part;
    return part;
  });
}

function textOf(record: RecordSummary, policy: ReportedDomain['policy']): string {
  const { sourceIp, count, dkim, spf, headerFrom, mailFrom, spfResult, dkimDomains } = record;
  const [signer] = dkimDomains;
  const signature =
    signer === undefined
      ? ''
      : `<dkim><domain>${signer}</domain><selector>s1</selector><result>pass</result></dkim>`;
  return recordText({
    sourceIp: `<source_ip>${sourceIp}</source_ip>`,
    count: `<count>${count}</count>`,
    disposition: `<disposition>${dkim === 'pass' || spf === 'pass' ? 'none' : policy}</disposition>`,
    dkim: `<dkim>${dkim}</dkim>`,
    spf: `<spf>${spf}</spf>`,
    identifiers: `<identifiers><header_from>${headerFrom}</header_from></identifiers>`,
    authResults: `<auth_results>${signature}<spf><domain>${mailFrom}</domain><scope>mfrom</scope><result>${spfResult}</result></spf></auth_results>`,
  });
}

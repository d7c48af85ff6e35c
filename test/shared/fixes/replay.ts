/** The safe changes of a plan, replayed on 90 days of reports about mail that depends on every part of the records. */
import type { CheckResults } from '../../../shared/checks/results.ts';
import { alignments } from '../../../shared/enforcement/alignment.ts';
import { publishedRecords } from '../../../shared/enforcement/published-records.ts';
import type { SimulationSummary } from '../../../shared/enforcement/shapes.ts';
import { simulateSummaries } from '../../../shared/enforcement/simulate-records.ts';
import type { Plan } from '../../../shared/fixes/plan.ts';
import { systemClock } from '../../../shared/network/clock.ts';
import { isDmarcRecord } from '../../../shared/protocol/dmarc/record.ts';
import type { Dns } from '../../../shared/protocol/dns.ts';
import { evaluate } from '../../../shared/protocol/spf/evaluate.ts';
import { isSpfRecord } from '../../../shared/protocol/spf/record.ts';
import type { RecordSummary } from '../../../shared/reports/dmarc/summary/shapes.ts';
import { dayNumber, history, ownMail, policy, report } from '../../kit/report-history.ts';

const DAYS = 90;

/** The hosts that the SPF records of the faulty zones authorize, and others. */
const addresses = ['192.0.2.1', '192.0.2.7', '192.0.2.14', '198.51.100.1', '2001:db8::1', '2001:db8::2'];

/** Mail whose result depends on SPF, on DKIM, and on relaxed alignment of either. */
const kinds = (domain: string): readonly Partial<RecordSummary>[] => [
  { headerFrom: domain, mailFrom: domain, dkimDomains: [domain] },
  { headerFrom: domain, mailFrom: domain, dkimDomains: [] },
  { headerFrom: domain, mailFrom: 'bounce.example.net', dkimDomains: [`mail.${domain}`] },
  { headerFrom: domain, mailFrom: `bounce.${domain}`, spfResult: 'pass', dkimDomains: [] },
  { headerFrom: `news.${domain}`, mailFrom: domain, dkimDomains: [] },
  { headerFrom: domain, mailFrom: 'spoofer.example', spfResult: 'fail', dkimDomains: [] },
];

/** Simulates the safe changes of `plan`; `dns` and `results` are those of the domain before them. */
export async function replaySafeChanges(
  domain: string,
  { plan, results }: { readonly plan: Plan; readonly results: CheckResults },
  dns: Dns,
): Promise<SimulationSummary> {
  const published = publishedRecords(domain, results, []);
  const records = await mailUnder(domain, published.terms, dns);
  const reported = policy({ domain, adkim: published.terms.adkim, aspf: published.terms.aspf });
  const days = history(0, DAYS - 1, (day) => [
    report(
      records.map((record) => ({ ...record, count: 1 + (day % 7) })),
      { policy: reported },
    ),
  ]);
  const values = plan.changes.flatMap((change) => (change.class === 'safe' ? change.after : []));
  const replayed = await simulateSummaries(
    domain,
    {
      proposed: { dmarc: values.find(isDmarcRecord), spf: values.find(isSpfRecord) },
      days: { from: dayNumber(0), to: dayNumber(DAYS - 1) },
      reports: () => days,
      decisions: new Map(),
      published,
    },
    { dns, clock: systemClock },
  );
  if (!('simulation' in replayed)) throw new Error(JSON.stringify(replayed.problems));
  return replayed.simulation.summary;
}

/** The mail with the results that receivers report under the records in `dns`. */
async function mailUnder(
  domain: string,
  modes: Parameters<ReturnType<typeof alignments>['evaluated']>[1],
  dns: Dns,
): Promise<readonly RecordSummary[]> {
  const { evaluated } = alignments();
  const sender = { mailFrom: `postmaster@${domain}`, helo: domain, now: systemClock.now() };
  const word = (passes: boolean) => (passes ? 'pass' : 'fail');
  const bySource = addresses.map(async (sourceIp) => {
    const { result } = await evaluate({ ip: sourceIp, ...sender }, dns);
    return kinds(domain).map((kind) => {
      const mail = ownMail({ sourceIp, spfResult: result, ...kind });
      const { dkim, spf } = evaluated(mail, modes);
      return { ...mail, dkim: word(dkim), spf: word(spf) } as const;
    });
  });
  return (await Promise.all(bySource)).flat();
}

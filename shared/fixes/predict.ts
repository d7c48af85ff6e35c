/**
 * Predicts the check results after a change of records, from the lookups of the check run that found the present ones. The
 * prediction runs the same checks as a preview, over the stored answers, so both come to the same results.
 */

import { inspectDmarc } from '../checks/dmarc/inspect.ts';
import { inspectMx } from '../checks/mx/inspect.ts';
import { withFindings } from '../checks/outcome.ts';
import { overlayDns } from '../checks/preview/overlay.ts';
import { replayLookups } from '../checks/record-lookups.ts';
import type { RecordedLookups } from '../checks/recorded-lookups.ts';
import type { CheckOutcome } from '../checks/result-fields.ts';
import type { CheckResults } from '../checks/results.ts';
import { inspectSpf } from '../checks/spf/inspect.ts';
import { inspectTlsRpt } from '../checks/tls-rpt/inspect.ts';
import { systemClock } from '../network/clock.ts';
import { smtpOff } from '../network/smtp-off.ts';
import type { Dns } from '../protocol/dns.ts';
import { zoneRules } from '../protocol/findings/zone.ts';
import { domainOf } from '../protocol/mail-address.ts';
import type { ZoneSet } from '../protocol/zone-file/record-set.ts';

/** The checks whose results follow from DNS alone. */
const replayed = ['spf', 'dmarc', 'tlsRpt'] as const;

type Replayed = (typeof replayed)[number];

export interface Prediction {
  /** The stored lookups with `sets` laid over them. */
  readonly dns: (sets: readonly ZoneSet[]) => Dns;
  /** The results after a change of `sets`. Checks that cannot be repeated from stored lookups keep their results. */
  readonly results: (sets: readonly ZoneSet[]) => Promise<CheckResults>;
}

/**
 * Prepares predictions for `domain`. The service authorizes reports of its domains, so its mailbox counts as a permitted
 * destination although it was not looked up.
 */
export async function predictor(
  { domain, mailbox }: { readonly domain: string; readonly mailbox: string | undefined },
  results: CheckResults,
  lookups: RecordedLookups,
): Promise<Prediction> {
  const stored = replayLookups([...lookups, ...authorization(domain, mailbox, lookups)]);
  const dns = (sets: readonly ZoneSet[]) => overlayDns(stored, sets).dns;
  const published = await replay(domain, mailbox, dns([]));
  const repeatable = replayed.filter((check) => isRepeated(check, results, published));
  return {
    dns,
    async results(sets) {
      const over = dns(sets);
      const now = await replay(domain, mailbox, over);
      const changesMx = sets.some(({ name, type }) => name === domain && type === 'MX');
      const mx = changesMx ? withServers(await replayMx(domain, over), results.mx) : results.mx;
      const after = <N extends Replayed>(check: N) =>
        repeatable.includes(check) ? withServers(now[check], results[check]) : results[check];
      return { ...results, mx, spf: after('spf'), dmarc: after('dmarc'), tlsRpt: after('tlsRpt') };
    },
  };
}

async function replay(
  domain: string,
  mailbox: string | undefined,
  dns: Dns,
): Promise<Pick<CheckResults, Replayed>> {
  const [spf, dmarc, tlsRpt] = await Promise.all([
    inspectSpf(domain, { dns }),
    inspectDmarc(domain, { dns }, { mailbox }),
    inspectTlsRpt(domain, { dns }, { mailbox }),
  ]);
  return { spf, dmarc, tlsRpt };
}

/** Without probes: a change of MX records is predicted only for domains that accept no mail. */
function replayMx(domain: string, dns: Dns) {
  return inspectMx(
    domain,
    { dns, smtp: smtpOff, clock: systemClock },
    {
      authenticate: async () => 'unknown',
      probe: false,
    },
  );
}

/** Findings about the comparison of name servers stay as they are, as in a preview. */
function withServers<R extends CheckOutcome>(result: R, stored: CheckOutcome): R {
  return withFindings(result, stored.findings.filter(isAboutServers));
}

const isAboutServers = ({ id }: { readonly id: string }): boolean => Object.hasOwn(zoneRules, id);

/** Whether the stored lookups lead to the stored results. A last known result is older than the lookups. */
function isRepeated(
  check: Replayed,
  results: CheckResults,
  published: Pick<CheckResults, Replayed>,
): boolean {
  const identities = (from: Pick<CheckResults, Replayed>) =>
    from[check].findings
      .filter((found) => !isAboutServers(found))
      .map(({ id, subject }) => `${id} ${subject}`)
      .sort()
      .join('\n');
  const { asOf, state } = results[check];
  return asOf === undefined && state !== 'unknown' && identities(results) === identities(published);
}

function authorization(
  domain: string,
  mailbox: string | undefined,
  lookups: RecordedLookups,
): RecordedLookups {
  if (mailbox === undefined) return [];
  const name = `${domain}._report._dmarc.${domainOf(mailbox)}`;
  if (lookups.some((lookup) => lookup.name === name)) return [];
  return [{ name, type: 'TXT', answer: { status: 'found', values: ['v=DMARC1'], ttl: 0 } }];
}

/** The part of a report that is about the domain of one owner. */
import { isWithin } from '../protocol/domain-name.ts';
import type { DmarcReading, TlsReading } from './report.ts';
import { withTotals } from './tls/tls-rpt.ts';
import { Warnings } from './warnings.ts';

/**
 * Returns the part of a report about `domain` and its subdomains; undefined if the report names only other domains. A
 * DMARC report is about one domain. Some reporters put the policies of several domains into one TLS report; policies of
 * other domains are removed, with a warning. A policy without a domain belongs to the mailbox that received the report.
 * Totals and identity are calculated from the part, so they are the same if the report is sent again.
 */
export function ownPart(
  reading: DmarcReading | TlsReading,
  domain: string,
): DmarcReading | TlsReading | undefined {
  if (reading.outcome === 'dmarc') return isWithin(reading.report.policyDomain, domain) ? reading : undefined;
  const { report } = reading;
  const isForeign = (name: string): boolean => name !== '' && !isWithin(name, domain);
  const foreign = domainsOf(reading).filter(isForeign);
  if (foreign.length === 0) return reading;
  if (!report.policies.some(({ policyDomain }) => isWithin(policyDomain, domain))) return undefined;

  const names = foreign.join(', ');
  const warnings = new Warnings();
  const policies = report.policies.filter(({ policyDomain }, at) => {
    if (!isForeign(policyDomain)) return true;
    warnings.add('foreign-policy', () => `policies[${at}]`, names);
    return false;
  });
  return {
    ...reading,
    ...withTotals({ ...report, policies }),
    // These come first, because only the first warnings are displayed.
    warnings: [...warnings.list(), ...reading.warnings],
  };
}

/** The distinct domains that a report is about. */
export function domainsOf(reading: DmarcReading | TlsReading): readonly string[] {
  if (reading.outcome === 'dmarc') return [reading.report.policyDomain];
  const names = reading.report.policies.map(({ policyDomain }) => policyDomain);
  return [...new Set(names)].filter((name) => name !== '');
}

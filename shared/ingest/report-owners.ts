/** Which domains of an organization the reports of a mail are about, where its recipient does not say. */
import { canonicalName, isLookupName } from '../protocol/domain-name.ts';
import { reportFileName } from '../reports/file-name.ts';
import { domainsOf } from '../reports/own-part.ts';
import type { ReportReading } from '../reports/report.ts';
import type { Domain } from '../store/domains/domains.ts';

/** Finds a domain of the organization by its name (canonical form). */
export type FindDomain = (name: string) => Promise<Domain | undefined>;

/**
 * The registered domains that a mail is about. A report belongs to the domain that its policy domain is, or is within; of
 * several, to the longest. What could not be read belongs to the domain in its file name. Failure reports belong to none: they
 * have parts of people's mail.
 */
export async function ownersOf(
  readings: readonly ReportReading[],
  find: FindDomain,
): Promise<readonly Domain[]> {
  const owners = new Map<string, Domain>();
  for (const name of new Set(readings.flatMap(namesIn))) {
    const domain = await registered(name, find);
    if (domain !== undefined) owners.set(domain.id, domain);
  }
  return [...owners.values()];
}

function namesIn(reading: ReportReading): readonly string[] {
  if (reading.outcome === 'failure' || reading.outcome === 'not-a-report') return [];
  if ('identity' in reading) return domainsOf(reading);
  const named = reportFileName(reading.source);
  return named === undefined ? [] : [canonicalName(named.domain)];
}

/** The registered domain that `name` is, or the nearest one that it is within. */
async function registered(name: string, find: FindDomain): Promise<Domain | undefined> {
  if (!isLookupName(name)) return undefined;
  const labels = name.split('.');
  for (let at = 0; at < labels.length - 1; at += 1) {
    const domain = await find(labels.slice(at).join('.'));
    if (domain !== undefined) return domain;
  }
  return undefined;
}

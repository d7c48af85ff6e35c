/** Whether the TLSA records of an MX host survive the next renewal of its certificate, and what to publish if not. */
import type { CertificateFacts, Smtp } from '../../network/ports.ts';
import type { TlsaRecord } from '../../protocol/dns.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';
import { DUE_NOW, mxRolloverRules } from '../../protocol/findings/mx-rollover.ts';
import { type ServedHistory, type ServedHosts, withObserved } from '../../protocol/served-chain.ts';
import { dayAt } from '../../protocol/time.ts';
import { isNamed, keyRecord, matchesLeaf, trustAnchors } from '../../protocol/tlsa.ts';
import { forecastRollover, type RolloverForecast } from '../../protocol/tlsa-forecast.ts';
import { writeValue } from '../../protocol/zone-file/record-set.ts';

const raise = raiser(mxRolloverRules);

/** The TLSA records of a host, and the names that its certificate can have. */
interface Published {
  readonly host: string;
  /** The name below which the records are. */
  readonly base: string;
  readonly domain: string;
  readonly records: readonly TlsaRecord[];
}

/** @param before What the address served in earlier check runs. */
export function rolloverFindings(
  published: Published,
  certificate: CertificateFacts,
  before: ServedHistory,
  now: Date,
): readonly Finding[] {
  const { host, base, records } = published;
  const forecast = forecastRollover(records, certificate, before, now);
  if (forecast === undefined) return [];
  const { outcome, due, matching, evidence, isPrepared } = forecast;
  const added = recordToAdd(published, certificate.chain, forecast);
  const about = {
    ...{
      host,
      name: `_25._tcp.${base}`,
      due: due < now ? DUE_NOW : dayAt(due),
      evidence,
    },
    records: matching.map(({ usage, selector, matchingType }) => `${usage} ${selector} ${matchingType}`),
    publish: added === undefined ? [] : [...records, added].map((record) => writeValue('TLSA', record)),
  };
  return [
    outcome === 'breaks'
      ? raise('mx-tlsa-renewal-breaks', about)
      : raise('mx-tlsa-renewal-unknown', { ...about, prepared: isPrepared }),
  ];
}

/** A record of what earlier renewals kept, which matches today: of the key itself, or of the issuer. */
function recordToAdd(
  { base, domain, records }: Published,
  chain: readonly Uint8Array[],
  { keeps }: RolloverForecast,
): TlsaRecord | undefined {
  const [leaf, issuer] = chain;
  const ofKey = keeps.key && leaf !== undefined ? keyRecord(3, leaf, records) : undefined;
  if (ofKey !== undefined && matchesLeaf([ofKey], chain)) return ofKey;
  // A record of an issuer makes names and dates of the certificate count (RFC 7672 section 3.1.2).
  const ofIssuer = keeps.issuer && issuer !== undefined ? keyRecord(2, issuer, records) : undefined;
  const isUsable =
    ofIssuer !== undefined && isNamed(chain, [base, domain]) && trustAnchors([ofIssuer], chain).length > 0;
  return isUsable ? ofIssuer : undefined;
}

/** Called with the TLSA records of an MX host that senders use. */
export type OnTlsa = (host: string, records: readonly TlsaRecord[]) => void;

/** Wraps the Smtp port of a check run. `served` adds what the hosts served, and their TLSA records, to the history. */
export function watchChains(smtp: Smtp): {
  readonly smtp: Smtp;
  readonly onTlsa: OnTlsa;
  readonly served: (before: ServedHosts, now: Date) => ServedHosts;
} {
  const seen = new Map<string, { host: string; address: string; shown: CertificateFacts }>();
  const published = new Map<string, readonly TlsaRecord[]>();
  return {
    smtp: {
      async probe(request) {
        const answer = await smtp.probe(request);
        const { hostname: host, address, trustAnchors: trusted } = request;
        if (answer.status === 'found' && answer.starttls.status === 'established' && trusted === undefined)
          seen.set(`${host} ${address}`, { host, address, shown: answer.starttls.certificate });
        return answer;
      },
    },
    onTlsa: (host, records) => void published.set(host, records),
    served(before, now) {
      const observed = [...seen.values()].map((one) => ({ ...one, records: published.get(one.host) }));
      return withObserved(before, observed, now);
    },
  };
}

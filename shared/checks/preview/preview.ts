/** Runs all checks of a domain twice on the same lookups: as it is, and with proposed record sets. Stores nothing. */
import type { Network, Web } from '../../network/ports.ts';
import type { Dns } from '../../protocol/dns.ts';
import type { Validator } from '../../protocol/dnssec/chain.ts';
import { enclosingZone } from '../../protocol/dnssec/enclosing-zone.ts';
import type { ZoneSet } from '../../protocol/zone-file/record-set.ts';
import { type CheckContext, type DomainToCheck, inspectDomain } from '../inspect.ts';
import { limitQueries } from '../limit-network.ts';
import type { CheckResults } from '../results.ts';
import { aliasConflicts, type Overlay, overlayDns } from './overlay.ts';
import { rememberAnswers } from './remember.ts';

export type Preview =
  | { readonly ok: true; readonly before: CheckResults; readonly after: CheckResults }
  /** The names at which a CNAME record would stand beside other data. */
  | { readonly ok: false; readonly conflicts: readonly string[] };

/**
 * Runs the checks of `domain` as it is and with `sets` laid over DNS. Proposed answers count as signed exactly when their
 * zone validates today. Name servers are compared as they answer today, so findings about them are the same in both.
 */
export async function previewChecks(
  domain: DomainToCheck,
  sets: readonly ZoneSet[],
  checkContext: CheckContext,
): Promise<Preview> {
  const { testEmailLocalPart } = domain;
  const recipient = testEmailLocalPart === null ? undefined : `${testEmailLocalPart}@${domain.domain}`;
  const { over, ...queried } = limitQueries(checkContext.network);
  const shared = rememberAnswers(queried, recipient);
  const overlay = overlayDns(shared.dns, sets);
  const conflicts = await aliasConflicts(shared.dns, sets);
  if (conflicts.length > 0) return { ok: false, conflicts };
  const network = { ...shared, dns: overlay.dns, web: overlaidWeb(over, shared.web, overlay) };
  const [before, after] = await Promise.all([
    inspectDomain(domain, { ...checkContext, network: shared }),
    inspectDomain(domain, {
      ...checkContext,
      network,
      validatorOver: (validator) => overlaidValidator(validator, overlay, shared.dns),
    }),
  ]);
  return { ok: true, before, after };
}

/** Requests to hosts whose addresses the overlay changes go to the proposed addresses, through the address guard. */
function overlaidWeb(over: Network['over'], shared: Web, overlay: Overlay): Web {
  if (over === undefined) return shared;
  const changed = over(overlay.dns).web;
  return {
    get: (request) =>
      URL.canParse(request.url) && overlay.covers(new URL(request.url).hostname)
        ? changed.get(request)
        : shared.get(request),
  };
}

function overlaidValidator(validator: Validator, overlay: Overlay, dns: Dns): Validator {
  return {
    ...validator,
    async authenticate(answer) {
      if (answer.status === 'absent' || !overlay.isProposed(answer)) return validator.authenticate(answer);
      const zone = await enclosingZone(dns, answer.name);
      if (zone.status === 'unknown') return { status: 'unknown', reasons: [zone.reason] };
      const soa = await dns.lookup(zone.name, 'SOA', { dnssec: true, checkingDisabled: true });
      if (soa.status === 'found') return validator.authenticate(soa);
      const reason = { code: 'unavailable', name: zone.name, type: 'SOA', reason: soa.reason } as const;
      return { status: 'unknown', reasons: [reason] };
    },
  };
}

/** The trusted certificates that hosts serve, as the other checks of a run see them. */
import { X509Certificate } from 'node:crypto';
import type { CertificateFacts, Network } from '../../network/ports.ts';
import { issuerOf } from '../certificate.ts';

export interface ServedCertificate {
  readonly host: string;
  readonly issuer: string | null;
  /** It names the host only by a wildcard. */
  readonly isWildcard: boolean;
}

/** Wraps the ports through which checks see certificates. `served` returns those until now, one per host and issuer. */
export function watchCertificates<N extends Pick<Network, 'smtp' | 'web'>>(
  network: N,
): { readonly network: N; readonly served: () => readonly ServedCertificate[] } {
  const { smtp, web } = network;
  const served = new Map<string, ServedCertificate>();

  /** What has no trusted issuer, or is not for this host, was not issued under the CAA records of the host. */
  function note(host: string, { trusted, matchesName, chain: [leaf], ...facts }: CertificateFacts): void {
    if (!trusted || !matchesName || leaf === undefined) return;
    const issuer = issuerOf({ ...facts, trusted, matchesName, chain: [leaf] });
    const named = new X509Certificate(leaf).checkHost(host, { subject: 'never', wildcards: false });
    served.set(`${host} ${issuer}`, { host, issuer, isWildcard: named === undefined });
  }

  return {
    network: {
      ...network,
      smtp: {
        async probe(request) {
          const answer = await smtp.probe(request);
          const isEstablished = answer.status === 'found' && answer.starttls.status === 'established';
          // A probe that trusts other certificates says nothing about public ones.
          if (isEstablished && request.trustAnchors === undefined)
            note(request.hostname, answer.starttls.certificate);
          return answer;
        },
      },
      web: {
        async get(request) {
          const answer = await web.get(request);
          if (answer.status === 'found') note(new URL(answer.evidence.url).hostname, answer.certificate);
          return answer;
        },
      },
    },
    // In an order that does not depend on which host answered first.
    served: () => [...served].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, certificate]) => certificate),
  };
}

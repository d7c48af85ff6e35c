/** An issuer with one or several intermediate certificates, and the certificates that it issues for a host, one after the other. */
import type { ShownChain } from '../../shared/protocol/served-chain.ts';
import {
  basicConstraints,
  distinguishedName,
  type KeyPair,
  keyPair,
  signCertificate,
  subjectAltName,
} from './x509.ts';

export interface Issued extends ShownChain {
  readonly key: KeyPair;
  /** The key of the intermediate that signed it. */
  readonly issuerKey: KeyPair;
}

export interface Issuer {
  /** @param key The key of the certificate before, if the renewal keeps it. */
  issue(from: Date, plan: { readonly days: number; readonly key?: KeyPair; readonly host?: string }): Issued;
}

interface IssuerPlan {
  readonly organization: string;
  /** Common names; certificates come from them in turn. */
  readonly intermediates: readonly string[];
  readonly until?: Date;
}

const DAY = 86_400_000;
const ORGANIZATION = '2.5.4.10';
const COMMON_NAME = '2.5.4.3';

export function createIssuer({
  organization,
  intermediates,
  until = new Date('2040-01-01'),
}: IssuerPlan): Issuer {
  const authorities = intermediates.map((name) => {
    const keys = keyPair();
    const subject = distinguishedName([ORGANIZATION, organization], [COMMON_NAME, name]);
    const certificate = signCertificate({
      ...{ subject, issuer: subject, publicKey: keys.publicKey, signingKey: keys.privateKey },
      ...{ validFrom: new Date('2020-01-01'), validTo: until, extensions: [basicConstraints(true)] },
    });
    return { keys, subject, certificate };
  });
  let issued = 0;
  return {
    issue(from, { days, key = keyPair(), host = 'mx.example.org' }) {
      const authority = authorities[issued % authorities.length];
      if (authority === undefined) throw new Error('an issuer needs an intermediate');
      issued += 1;
      const validTo = new Date(from.getTime() + days * DAY);
      const leaf = signCertificate({
        ...{ subject: distinguishedName([COMMON_NAME, host]), issuer: authority.subject },
        ...{ publicKey: key.publicKey, signingKey: authority.keys.privateKey },
        ...{ validFrom: from, validTo, extensions: [basicConstraints(false), subjectAltName([host])] },
      });
      const chain = [leaf, authority.certificate].map(({ raw }) => Uint8Array.from(raw));
      return { key, issuerKey: authority.keys, validFrom: from, validTo, chain };
    },
  };
}

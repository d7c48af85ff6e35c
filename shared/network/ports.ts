/**
 * The ports through which checks reach the world. Each has one real implementation in this folder and fakes in
 * `test/kit`; a check is given a `Network` and knows nothing else of where it runs.
 */
import type { Dns, RecordData, RecordType } from '../protocol/dns.ts';

export interface Clock {
  now(): Date;
}

/** The certificate a server showed, and what became of verifying it. */
export interface CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  /** DNS names of the subject alternative name, lower-case, wildcards as they stand. */
  readonly names: readonly string[];
  readonly validFrom: Date;
  readonly validTo: Date;
  /** The chain as sent, leaf first, each in DER. */
  readonly chain: readonly Uint8Array[];
  /** Whether the chain ends in a trusted authority and is within its dates. */
  readonly trusted: boolean;
  /** Why not, as OpenSSL's code (`CERT_HAS_EXPIRED`, `SELF_SIGNED_CERT_IN_CHAIN`, ...). */
  readonly untrustedReason?: string;
  /** Whether the name that was dialled is among the certificate's names (RFC 6125). */
  readonly matchesName: boolean;
}

export interface WebRequest {
  readonly url: string;
  /** Octets of body after which the answer is `rejected` as `too-large`. */
  readonly maxBytes: number;
  readonly timeoutMilliseconds: number;
  /** How many redirects to follow, each https and through the address guard again; 0 by default. */
  readonly redirects?: number;
}

export interface WebEvidence {
  readonly url: string;
  readonly address?: string;
  readonly milliseconds: number;
}

/**
 * The answer to an HTTPS request. `found` is any HTTP response, whatever its status code. `absent`: the host has no
 * address. `rejected`: the server was reached and what it showed is definitely wrong. `unavailable`: no answer.
 */
export type WebAnswer =
  | {
      readonly status: 'found';
      readonly httpStatus: number;
      /** Lower-case names; several values joined by `, `. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
      readonly certificate: CertificateFacts;
      readonly evidence: WebEvidence;
    }
  | { readonly status: 'absent'; readonly reason: 'no-address'; readonly evidence: WebEvidence }
  | {
      readonly status: 'rejected';
      readonly reason:
        | 'certificate'
        | 'tls'
        | 'redirect'
        | 'too-large'
        | 'address-not-public'
        | 'invalid-url';
      readonly detail: string;
      readonly certificate?: CertificateFacts;
      readonly evidence: WebEvidence;
    }
  | {
      readonly status: 'unavailable';
      readonly reason: 'timeout' | 'connection' | 'name-resolution' | 'malformed' | 'deadline';
      readonly detail: string;
      readonly evidence: WebEvidence;
    };

export interface Web {
  /** GETs an https URL through the address guard. Never throws. */
  get(request: WebRequest): Promise<WebAnswer>;
}

export interface WebPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMilliseconds: number;
}

export interface WebPoster {
  /**
   * POSTs to an https URL through the address guard, and follows no redirect. Of the answer only status and headers are
   * read. Never throws.
   */
  post(request: WebPost): Promise<WebAnswer>;
}

export interface SmtpProbeRequest {
  /** The MX host's name: dialled for SNI and matched against its certificate. */
  readonly hostname: string;
  /** The address to dial, one of the host's A or AAAA records. */
  readonly address: string;
  readonly timeoutMilliseconds: number;
  /** Ask with MAIL FROM:<> and RCPT TO whether this mailbox is accepted; no DATA is ever sent. */
  readonly recipient?: string;
}

export interface SmtpEvidence {
  readonly hostname: string;
  readonly address: string;
  readonly milliseconds: number;
  /** The last reply line, at most 200 characters. */
  readonly reply?: string;
  /** The host said so a short while ago, when another domain was looked at. */
  readonly fromCache?: boolean;
}

/**
 * What an MX host said. `found`: it greeted with 220. `rejected`: it answered with a permanent refusal (554
 * greeting, 5xx to EHLO and HELO), or its address is not a public one. `unavailable`: we could not ask, or it put
 * us off (4xx).
 */
export type SmtpAnswer =
  | {
      readonly status: 'found';
      readonly greeting: string;
      /** Keywords of the EHLO reply in upper case; empty for a server that speaks only HELO. */
      readonly extensions: readonly string[];
      readonly starttls:
        | { readonly status: 'not-offered' }
        /** Offered, and refused or broken: `reason` is `reply` (4xx/5xx to STARTTLS) or `handshake`. */
        | { readonly status: 'failed'; readonly reason: 'reply' | 'handshake'; readonly detail: string }
        | {
            readonly status: 'established';
            readonly protocol: string;
            readonly cipher: string;
            readonly certificate: CertificateFacts;
          };
      /** `not-asked` where no recipient was given or the dialogue ended before; `deferred` on 4xx. */
      readonly recipient: 'accepted' | 'rejected' | 'deferred' | 'not-asked';
      readonly evidence: SmtpEvidence;
    }
  | {
      readonly status: 'rejected';
      readonly reason: 'greeting' | 'ehlo' | 'address-not-public';
      readonly detail: string;
      readonly evidence: SmtpEvidence;
    }
  | {
      readonly status: 'unavailable';
      readonly reason:
        | 'timeout'
        | 'connection-refused'
        | 'unreachable'
        | 'closed'
        | 'deferred'
        | 'malformed'
        | 'deadline'
        /** No connection was tried: the installation cannot dial port 25, and knows it. */
        | 'not-dialled';
      readonly detail: string;
      readonly evidence: SmtpEvidence;
    };

export interface Smtp {
  /** Opens an SMTP session on port 25, looks at it and leaves with QUIT. Never throws. */
  probe(request: SmtpProbeRequest): Promise<SmtpAnswer>;
}

/**
 * What one authoritative server says of one name. `absent` is the lack of such a record or of the name; everything
 * that is not an answer of its own (no reply, a referral, a refusal, an address we do not dial) is `unavailable`.
 */
export type AuthorityAnswer<T> =
  | { readonly status: 'found'; readonly records: readonly T[] }
  | { readonly status: 'alias'; readonly target: string }
  | { readonly status: 'absent' }
  | { readonly status: 'unavailable'; readonly detail: string };

export interface Authorities {
  /** Asks the name server `server` (a host name) itself, past every cache. Never throws. */
  ask<T extends RecordType>(server: string, name: string, type: T): Promise<AuthorityAnswer<RecordData[T]>>;
}

export interface Network {
  readonly dns: Dns;
  readonly web: Web;
  readonly smtp: Smtp;
  readonly clock: Clock;
  /** Left out where name servers are not to be asked one by one, of which nothing is said then. */
  readonly authorities?: Authorities;
}

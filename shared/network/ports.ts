/**
 * The ports through which checks reach the network. Each port has one real implementation in this folder and fakes in
 * `test/kit`. A check receives a `Network` and does not know where it runs.
 */
import type { Dns, RecordData, RecordSet, RecordType } from '../protocol/dns.ts';

export interface Clock {
  now(): Date;
}

/** Whether one more connection to an address may be opened, or one more query be sent to it. */
export type MayContact = (address: string) => Promise<boolean>;

/** A server's certificate and the result of verifying it. */
export interface CertificateFacts {
  readonly validFrom: Date;
  readonly validTo: Date;
  /** The chain as sent, leaf first, each in DER. */
  readonly chain: readonly Uint8Array[];
  /** Whether the chain ends at a trusted authority and all certificates are within their validity period. */
  readonly trusted: boolean;
  /** Why it is not trusted, as OpenSSL's code (`CERT_HAS_EXPIRED`, `SELF_SIGNED_CERT_IN_CHAIN`, ...). */
  readonly untrustedReason?: string;
  /** Whether the certificate matches the dialled name (RFC 9525). */
  readonly matchesName: boolean;
}

export interface WebRequest {
  readonly url: string;
  /** A larger body makes the answer `rejected` with `too-large`. In bytes. */
  readonly maxBytes: number;
  readonly timeoutMilliseconds: number;
  /** The number of redirects to follow; each must be https and passes the address guard. 0 by default. */
  readonly redirects?: number;
  /** Connects to no port but 443, also after a redirect, so that a URL of somebody else's choice cannot scan ports. */
  readonly onlyPort443?: boolean;
  /** Called before each request to a host with an address, a redirect included; false makes the answer `unavailable`. */
  readonly mayRequest?: () => boolean;
  /** Called before each connection. */
  readonly mayContact?: MayContact;
}

interface WebEvidence {
  readonly url: string;
  readonly address?: string;
  readonly milliseconds: number;
}

/**
 * The answer to an HTTPS request. `found`: an HTTP response with any status code. `absent`: the host has no address.
 * `rejected`: the server was reached and is definitely wrong. `unavailable`: no answer.
 */
export type WebAnswer =
  | {
      readonly status: 'found';
      readonly httpStatus: number;
      /** Lower-case names; several values are joined with `, `. */
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
      readonly reason:
        | 'timeout'
        | 'connection'
        | 'name-resolution'
        | 'malformed'
        | 'deadline'
        /** The request was not sent, because of `mayRequest` or `mayContact`. */
        | 'connection-limit';
      readonly detail: string;
      readonly evidence: WebEvidence;
    };

export interface Web {
  /** Sends a GET request to an https URL through the address guard. Never throws. */
  get(request: WebRequest): Promise<WebAnswer>;
}

export interface WebPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMilliseconds: number;
  /** The maximum size of the response's body in bytes; without it, the body is not read. */
  readonly maxBytes?: number;
  /** Ends the request early, as its time does. */
  readonly signal?: AbortSignal | undefined;
}

export interface WebPoster {
  /**
   * Sends a POST request to an https URL through the address guard. Follows no redirect. Never throws.
   */
  post(request: WebPost): Promise<WebAnswer>;
}

export interface WebCall extends Omit<WebPost, 'body'> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: string;
  /** The longest URL, in characters; by default that of a URL that users name. */
  readonly maxUrl?: number;
}

export interface WebCaller {
  /** Sends a request to an https URL through the address guard. Follows no redirect. Never throws. */
  call(request: WebCall): Promise<WebAnswer>;
}

export interface SmtpProbeRequest {
  /** The MX host's name, used for SNI and matched against the certificate. */
  readonly hostname: string;
  /** The address to dial: one of the host's A or AAAA records. */
  readonly address: string;
  readonly timeoutMilliseconds: number;
  /**
   * Certificates (DER) to trust instead of public authorities. A chain may end at each of them, also at an intermediate
   * certificate (RFC 7672 section 3.1.2).
   */
  readonly trustAnchors?: readonly Uint8Array[];
  /** Tests with MAIL FROM:<> and RCPT TO whether the host accepts this mailbox; DATA is never sent. */
  readonly recipient?: string;
  /** Called before each connection; false makes the answer `unavailable`. */
  readonly mayContact?: MayContact;
}

export interface SmtpEvidence {
  readonly hostname: string;
  readonly address: string;
  readonly milliseconds: number;
  /** The last reply line, at most 200 characters. */
  readonly reply?: string;
  /** The answer is from an earlier probe of the same host, possibly for another domain. */
  readonly fromCache?: boolean;
}

/**
 * The result of probing an MX host. `found`: it greeted with 220. `rejected`: a permanent rejection (554 greeting, 5xx
 * to EHLO and HELO), or its address is not public. `unavailable`: the probe failed, or the host deferred it (4xx).
 */
export type SmtpAnswer =
  | {
      readonly status: 'found';
      readonly starttls:
        | { readonly status: 'not-offered' }
        /** Offered, but failed: `reason` is `reply` (4xx or 5xx to STARTTLS) or `handshake`. */
        | { readonly status: 'failed'; readonly reason: 'reply' | 'handshake'; readonly detail: string }
        | {
            readonly status: 'established';
            readonly protocol: string;
            readonly cipher: string;
            readonly certificate: CertificateFacts;
          };
      /** `not-asked` if there was no recipient or the session ended before; `deferred` on 4xx. */
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
        /** No connection was attempted, because this installation cannot dial port 25. */
        | 'not-dialled'
        /** No connection was attempted, because of `mayContact`. */
        | 'connection-limit';
      readonly detail: string;
      readonly evidence: SmtpEvidence;
    };

export interface Smtp {
  /** Opens an SMTP session on port 25, inspects the server and ends with QUIT. Never throws. */
  probe(request: SmtpProbeRequest): Promise<SmtpAnswer>;
}

/**
 * One authoritative server's answer for one name. `absent`: no such record or name. `unavailable`: everything that is
 * not an answer of its own (no reply, a referral, a refusal, an address that may not be dialled).
 */
export type AuthorityAnswer<T> =
  | {
      readonly status: 'found';
      readonly records: readonly T[];
      /** The records with their signatures, as the server sent them. */
      readonly set?: RecordSet;
    }
  | { readonly status: 'alias'; readonly target: string }
  | { readonly status: 'absent' }
  | {
      readonly status: 'unavailable';
      readonly detail: string;
      /** The server answered that it has no such zone, by a refusal or without authority: its response code. */
      readonly notServed?: string;
      /** The server refers to these servers (host names) for the name: it has been delegated. */
      readonly delegatesTo?: readonly string[];
    };

export interface AuthoritativeServers {
  /**
   * Queries the name server `server` (a host name) directly, bypassing caches. Never throws.
   * @param mayContact Called before each query; false makes the answer `unavailable`.
   */
  ask<T extends RecordType>(
    server: string,
    name: string,
    type: T,
    mayContact?: MayContact,
  ): Promise<AuthorityAnswer<RecordData[T]>>;
}

export interface Network {
  readonly dns: Dns;
  readonly web: Web;
  readonly smtp: Smtp;
  readonly clock: Clock;
  /** Absent if name servers are not to be compared; then nothing is reported about them. */
  readonly authorities?: AuthoritativeServers;
  /** The same answers from another resolver. Absent if there is only one. */
  readonly otherDns?: Dns;
  /** What resolves names, with other DNS answers, whose addresses it checks as all others. Absent if nothing does. */
  readonly over?: (dns: Dns) => Pick<Network, 'web' | 'authorities'>;
}

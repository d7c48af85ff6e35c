/**
 * A fake Web that serves the given pages and refuses everything else:
 * `fakeWeb({ 'https://mta-sts.example.org/.well-known/mta-sts.txt': { body: '...' }, 'https://down.example/': 'timeout'
 * })`.
 * The host of an unlisted URL has no address.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { CertificateFacts, Web, WebAnswer, WebRequest } from '../../shared/network/ports.ts';

export interface FakePage {
  /** 200 by default. */
  readonly httpStatus?: number;
  /** The `content-type` header; none by default. */
  readonly type?: string;
  readonly body?: string | Uint8Array;
  /** Expiry of the host's certificate; by default long after every test. */
  readonly validTo?: Date;
}

const rejections = [
  'certificate',
  'tls',
  'redirect',
  'too-large',
  'address-not-public',
  'invalid-url',
] as const;
const failures = ['timeout', 'connection', 'name-resolution', 'malformed', 'deadline'] as const;

export type Fault = (typeof rejections)[number] | (typeof failures)[number];

export interface FakeWeb extends Web {
  /** Every request, in order. */
  readonly requests: readonly WebRequest[];
}

/** Creates the fake. Every response takes `delayMilliseconds`, which shows which requests are concurrent. */
export function fakeWeb(pages: Readonly<Record<string, FakePage | Fault>>, delayMilliseconds = 0): FakeWeb {
  const requests: WebRequest[] = [];
  return {
    requests,
    async get(request) {
      requests.push(request);
      if (delayMilliseconds > 0) await pause(delayMilliseconds);
      return answerOf(request, pages[request.url]);
    },
  };
}

function answerOf({ url, maxBytes }: WebRequest, page: FakePage | Fault | undefined): WebAnswer {
  const evidence = { url, milliseconds: 0 };
  if (page === undefined) return { status: 'absent', reason: 'no-address', evidence };
  if (typeof page === 'string') {
    const detail = `a fake ${page}`;
    const reason = rejections.find((known) => known === page);
    if (reason !== undefined) return { status: 'rejected', reason, detail, evidence };
    const failure = failures.find((known) => known === page) ?? 'connection';
    return { status: 'unavailable', reason: failure, detail, evidence };
  }
  const { httpStatus = 200, type, body = '', validTo = new Date('2099-01-01') } = page;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  if (bytes.length > maxBytes) {
    return { status: 'rejected', reason: 'too-large', detail: `more than ${maxBytes} octets`, evidence };
  }
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
  return {
    status: 'found',
    httpStatus,
    headers,
    body: bytes,
    certificate: certificate(validTo),
    evidence,
  };
}

function certificate(validTo: Date): CertificateFacts {
  return {
    validFrom: new Date('2020-01-01'),
    validTo,
    chain: [],
    trusted: true,
    matchesName: true,
  };
}

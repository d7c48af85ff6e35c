/** Interprets the answers of web servers for checks that fetch a file. */
import type { CertificateFacts, WebAnswer } from '../network/ports.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';

interface Downloaded {
  readonly status: 'done';
  readonly body: Uint8Array;
  /** Type and subtype in lowercase, without parameters; empty if none is given (RFC 9110 section 8.3). */
  readonly mediaType: string;
  /** The host that served it, after redirects, and its certificate. */
  readonly host: string;
  readonly certificate: CertificateFacts;
}

/** A definite answer: the file cannot be fetched there. */
export interface DownloadFailed {
  readonly status: 'failed';
  readonly reason: 'no-address' | 'status' | (WebAnswer & { readonly status: 'rejected' })['reason'];
  readonly detail: string;
}

/** No answer, or a temporary error. */
interface DownloadUnavailable {
  readonly status: 'unavailable';
  readonly detail: string;
}

export type Download = Downloaded | DownloadFailed | DownloadUnavailable;

/** Status codes of temporary errors (RFC 9110 section 15.6, RFC 6585 section 4). */
const temporaryStatuses = [429, 502, 503, 504];

/** In characters: long enough for the extended DNS errors of a failed lookup. */
const MAX_DETAIL = 400;

/** The reasons of answers without a response, in words. */
const reasonWords: Readonly<
  Record<(WebAnswer & { readonly status: 'rejected' | 'unavailable' })['reason'], string>
> = {
  certificate: 'certificate validation failed',
  tls: 'TLS error',
  redirect: 'redirect',
  'too-large': 'the file is too large',
  'address-not-public': 'the IP address is not public',
  'invalid-url': 'invalid URL',
  timeout: 'timeout',
  connection: 'connection failed',
  'name-resolution': 'DNS lookup failed',
  malformed: 'malformed HTTP response',
  deadline: 'the check ran out of time',
  'connection-limit': 'the limit of connections is reached',
};

/** Classifies an answer by what it says about the requested file. Only status 200 returns a file. */
export function readDownload(answer: WebAnswer): Download {
  switch (answer.status) {
    case 'absent':
      return { status: 'failed', reason: answer.reason, detail: 'the host has no address' };
    case 'rejected':
      return { status: 'failed', reason: answer.reason, detail: describe(answer) };
    case 'unavailable':
      return { status: 'unavailable', detail: describe(answer) };
    case 'found':
      break;
  }
  const { httpStatus, headers, body, certificate, evidence } = answer;
  const host = new URL(evidence.url).hostname;
  const detail = `HTTP status ${httpStatus}`;
  if (temporaryStatuses.includes(httpStatus)) return { status: 'unavailable', detail };
  if (httpStatus >= 300 && httpStatus < 400) return { status: 'failed', reason: 'redirect', detail };
  if (httpStatus !== 200) return { status: 'failed', reason: 'status', detail };
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return { status: 'done', body, mediaType: excerpt(type.trim().toLowerCase()), host, certificate };
}

function describe({ reason, detail }: WebAnswer & { readonly status: 'rejected' | 'unavailable' }): string {
  return detail === '' ? reasonWords[reason] : `${reasonWords[reason]} (${excerpt(detail, MAX_DETAIL)})`;
}
